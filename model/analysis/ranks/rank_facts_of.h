// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/trace/run/rank_facts.h"

namespace riffle {

/// The small facts about a trace. For a log, its recorder's figures complete the steps whose details are gone.
RankFacts rankFactsOf(const TraceFacts &facts);
/// The same, with only the steps of the scope.
RankFacts rankFactsOf(const Scope &scope);

} // namespace riffle
