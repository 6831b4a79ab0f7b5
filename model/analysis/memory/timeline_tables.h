// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// A row a category: bytes at a point, and at the begin, at the end and where it is largest itself. Rows of the sum are
/// not in it.
ResultTable timelineCategories(const MemoryTimeline &timeline, uint32_t point);
/// A row a point: its time, the total and each category.
ResultTable timelinePoints(const MemoryTimeline &timeline);
/// Of a raw timeline a row an action and category: how many events, and what they changed.
ResultTable timelineActions(const MemoryTimeline &timeline);
/// Sentences about what the file is, and what was odd or lost.
std::vector<std::string> timelineRemarks(const MemoryTimeline &timeline);
/// The same of troubles alone.
std::string troubleText(const FileTrouble &trouble);

} // namespace riffle
