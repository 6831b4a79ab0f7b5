// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// One row per category: its bytes at a point, at the start, at the end and at its own peak. There is no row for the
/// sum.
ResultTable timelineCategories(const MemoryTimeline &timeline, uint32_t point);
/// One row per point: its time, the total and each category.
ResultTable timelinePoints(const MemoryTimeline &timeline);
/// For a raw timeline, one row per action and category: the number of events and the bytes that they changed.
ResultTable timelineActions(const MemoryTimeline &timeline);
/// Sentences about the kind of file, and about its problems and losses.
std::vector<std::string> timelineRemarks(const MemoryTimeline &timeline);
/// A sentence about one problem.
std::string troubleText(const FileTrouble &trouble);

} // namespace riffle
