// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

using SumsOf = const std::vector<NameSums> &(QueryTrace::*)() const;

template <SumsOf sums>
const NameSums &sumsOf(const QueryRow &row)
{
    return (row.traced().*sums)()[row.number];
}

/// Returns the table of some sums; `first` are the columns by which they are grouped beside the name.
template <SumsOf sums>
QueryTable tableOf(const char *name, const char *meaning, std::vector<QueryColumn> first)
{
    QueryTable table{name, meaning, {}, nullptr, enterAny};
    table.isComputed = true;
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>((traceOf(file).*sums)().size()); };
    table.columns = withTrace(joined(
        std::move(first),
        {
            stringColumn("name", "Name", [](QueryRow &row) { return sumsOf<sums>(row).name; }),
            integerColumn("calls", "Number of slices",
                          [](QueryRow &row) { return static_cast<int64_t>(sumsOf<sums>(row).calls); }),
            integerColumn("dur", "Sum of their durations in ns",
                          [](QueryRow &row) { return sumsOf<sums>(row).duration; }),
            integerColumn("self_dur", "Sum of their self times in ns",
                          [](QueryRow &row) { return sumsOf<sums>(row).self; }),
            integerColumn("min_dur", "Shortest duration in ns",
                          [](QueryRow &row) { return sumsOf<sums>(row).shortest; }),
            integerColumn("max_dur", "Longest duration in ns", [](QueryRow &row) { return sumsOf<sums>(row).longest; }),
        }));
    return table;
}

int64_t laneOfSums(QueryRow &row) { return idOrNull(sumsOf<&QueryTrace::slicesByLaneAndName>(row).lane); }

} // namespace

QueryTable slicesByNameTable()
{
    return tableOf<&QueryTrace::slicesByName>("slices_by_name", "Slices by name, with sums that are ready", {});
}

QueryTable slicesByLaneAndNameTable()
{
    return tableOf<&QueryTrace::slicesByLaneAndName>(
        "slices_by_lane_and_name", "Slices by lane and name, with sums that are ready",
        {
            idColumn("lane_id", "The lane (lanes.id)", laneOfSums, QueryColumn::Search::Ascending),
            textColumn("lane", "Name of the lane", laneOfSums, namesOfLanes),
        });
}

QueryTable kernelsByNameTable()
{
    return tableOf<&QueryTrace::kernelsByName>("kernels_by_name", "Kernels by name, with sums that are ready", {});
}

} // namespace riffle
