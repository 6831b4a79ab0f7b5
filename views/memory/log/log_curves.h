// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"
#include "views/memory/memory_curves_view.h"

#include <memory>

namespace riffle {

/// The curves of a timeline: one series per category that is not empty.
std::shared_ptr<const MemoryCurves> curvesOf(const MemoryTimeline &timeline);
/// The curves of a rank's log: one series per part, in hundredths of MB. A time that goes backwards or is missing is
/// replaced by the previous one.
std::shared_ptr<const MemoryCurves> curvesOf(const MemoryLogRank &rank);

} // namespace riffle
