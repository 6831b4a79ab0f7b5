// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"
#include "views/memory/memory_curves_view.h"

#include <memory>

namespace riffle {

/// The curves of a timeline, a series a category that has anything.
std::shared_ptr<const MemoryCurves> curvesOf(const MemoryTimeline &timeline);
/// Those of a rank's log, a series a part, in hundredths of MB. Times that go back or are missing count as the one
/// before.
std::shared_ptr<const MemoryCurves> curvesOf(const MemoryLogRank &rank);

} // namespace riffle
