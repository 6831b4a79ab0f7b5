// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <span>
#include <string>
#include <vector>

namespace riffle {

/// What lies inside an area of the lanes, one row per name. All times in ns and clipped to the area's range.
struct AreaSummary {
    struct Row {
        std::string name;
        std::string category; ///< of the first slice with that name; "…" when they differ
        uint64_t count = 0;   ///< slices that touch the range
        uint64_t cut = 0;     ///< of these, slices that reach beyond it
        Ns sum = 0;
        Ns minimum = 0;
        Ns maximum = 0;
        Ns self = 0;
        SliceRef longest;

        double average() const { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0.0; }
    };
    std::vector<Row> rows; ///< by descending sum, then by name
    TimeSpan span;         ///< set time
    size_t lanes = 0;      ///< lanes that were looked at
    uint64_t count = 0;
    bool complete = true; ///< false when the task was stopped

    /// A row's summed time over the length of the range; above 1 when several lanes or rows are busy at once.
    double share(const Row &row) const
    {
        return span.duration() > 0 ? static_cast<double>(row.sum) / static_cast<double>(span.duration()) : 0.0;
    }
};

/// Sums up the slices of `lanes` (none: every lane of the set) inside `span` (set time).
AreaSummary summarizeArea(const TraceSet &traces, TimeSpan span, std::span<const LaneRef> lanes, const Task &task);

/// The summary as a table. A row's evidence is its longest slice.
ResultTable areaTable(const AreaSummary &summary);

} // namespace riffle
