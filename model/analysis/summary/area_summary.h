// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/task.h"
#include "model/trace/trace_set.h"
#include "model/trace/work_class.h"

#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The slices inside an area of the lanes, summed up in one row per name. All times are in ns and clipped to the area's
/// range.
struct AreaSummary {
    struct Row {
        std::string name;
        std::string category; ///< "…" if the slices of that name have different ones
        uint64_t count = 0;   ///< slices that touch the range
        uint64_t cut = 0;     ///< those of them that extend beyond the range
        Ns sum = 0;
        Ns minimum = 0;
        Ns maximum = 0;
        Ns self = 0;
        SliceRef longest;

        double average() const { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0.0; }
    };
    std::vector<Row> rows; ///< by descending self time, then by descending sum, then by name
    TimeSpan span;         ///< set time
    size_t lanes = 0;      ///< number of lanes in the area
    uint64_t count = 0;
    bool complete = false; ///< false if the task was stopped

    /// A row's summed time divided by the length of the range; above 1 if several of its slices run at the same time.
    double share(const Row &row) const
    {
        return span.duration() > 0 ? static_cast<double>(row.sum) / static_cast<double>(span.duration()) : 0.0;
    }
};

/// The slices of the wanted classes, or all slices if no class is wanted.
struct SlicesOfClasses {
    SetWorkClasses classes; ///< known for every trace, if classes are wanted
    WorkClassSet wanted = 0;
};

/// Sums up the slices of `lanes` (every lane of the set if empty) inside `span` (set time), as far as they are of the
/// wanted classes.
AreaSummary summarizeArea(const TraceSet &traces, TimeSpan span, std::span<const LaneRef> lanes, const Task &task,
                          const SlicesOfClasses &only = {});

/// The summary as a table. A row's evidence is its longest slice.
ResultTable areaTable(const AreaSummary &summary);

} // namespace riffle
