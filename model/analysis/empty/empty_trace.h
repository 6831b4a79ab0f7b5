// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"
#include "model/analysis/facts/trace_facts.h"

#include <span>
#include <string>

namespace riffle {

class SetFacts;

/// The facts about a trace that decide why a view of it is empty. The view is one that any trace can fill; this
/// takes no time.
EmptyFacts emptyFactsOf(const TraceFacts &facts, EmptySubject subject = EmptySubject::Events);
/// The same for these traces of a set; for all of them if none is named.
EmptyFacts emptyFactsOf(const SetFacts &facts, std::span<const TraceId> traces);
/// The same for views that only a training run can fill. To know whether a trace comes from one takes a look at all of
/// its slices, so this is for workers.
EmptyFacts trainingFactsOf(const SetFacts &facts, std::span<const TraceId> traces);
EmptyFacts trainingFactsOf(const TraceFacts &facts);

/// True if the trace contains device work. A partially read trace also contains work from outside the requested part,
/// which does not count.
bool hasDeviceWork(const TraceFacts &facts);

/// The state of a table without rows, because the trace contains nothing of the kind.
EmptyState notRecorded(const TraceFacts &facts, EmptySubject subject);
/// The state of a table without rows, because what was recorded contains nothing of the kind. `sentence` says so.
EmptyState noneOccurred(const TraceFacts &facts, std::string sentence);

} // namespace riffle
