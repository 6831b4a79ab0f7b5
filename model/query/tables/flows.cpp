// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

const FlowTable &flowsOf(const QueryRow &row) { return row.trace().flows; }

/// Returns the point from which an arrow comes to `point`: the nearest earlier start or step of the same arrow. If
/// clocks disagree, a start may also come after its only end. Returns `point` itself if there is no such point.
uint32_t sourceOf(const FlowTable &flows, uint32_t point)
{
    const auto isSame = [&](uint32_t other) {
        return flows.id[other] == flows.id[point] && flows.category[other] == flows.category[point];
    };
    for (uint32_t before = point; before > 0 && isSame(before - 1); --before)
        if (flows.phase[before - 1] != 'f')
            return before - 1;
    const auto count = static_cast<uint32_t>(flows.time.size());
    uint32_t after = point + 1;
    while (after < count && isSame(after) && flows.phase[after] == 'f')
        ++after;
    const bool isStart = after < count && isSame(after) && flows.phase[after] == 's';
    const bool isTaken = after + 1 < count && isSame(after + 1) && flows.phase[after + 1] != 's';
    return isStart && !isTaken ? after : point;
}

/// Enters a row. A row is a point at which an arrow arrives.
bool enterArrow(QueryRow &row)
{
    const FlowTable &flows = flowsOf(row);
    if (flows.phase[row.number] == 's')
        return false;
    // The ends of one start follow each other, so the start that was found for the last one still holds.
    const bool isLikeLast = row.number > 0 && row.arrowEnd == row.number - 1 && flows.phase[row.arrowEnd] == 'f' &&
                            flows.id[row.arrowEnd] == flows.id[row.number] &&
                            flows.category[row.arrowEnd] == flows.category[row.number];
    if (!isLikeLast)
        row.arrowStart = sourceOf(flows, row.number);
    else if (row.arrowStart == row.arrowEnd)
        row.arrowStart = row.number;
    row.arrowEnd = row.number;
    row.slice.goTo(row.trace(), flows.slice[row.arrowStart]);
    row.other.goTo(row.trace(), flows.slice[row.number]);
    return row.arrowStart != row.number;
}

} // namespace

QueryTable flowsTable()
{
    QueryTable table{"flows", "Arrows between slices", {}, nullptr, enterArrow};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().flows.time.size()); };
    table.columns = withTrace({
        stringColumn("category", "The kind of arrow: ac2g, fwdbwd …",
                     [](QueryRow &row) { return flowsOf(row).category[row.number]; }),
        integerColumn("flow_id", "Id that the points of an arrow share, within a category",
                      [](QueryRow &row) { return flowsOf(row).id[row.number]; }),
        sliceColumn("from_id", "The slice where it starts", [](QueryRow &row) { return idOrNull(row.slice.id()); }),
        sliceColumn("to_id", "The slice where it ends", [](QueryRow &row) { return idOrNull(row.other.id()); }),
        integerColumn("from_ts", "Start of the arrow in ns",
                      [](QueryRow &row) { return row.traced().inSet(flowsOf(row).time[row.arrowStart]); }),
        integerColumn("to_ts", "End of the arrow in ns",
                      [](QueryRow &row) { return row.traced().inSet(flowsOf(row).time[row.number]); }),
        integerColumn("from_lane_id", "The lane where it starts",
                      [](QueryRow &row) { return idOrNull(flowsOf(row).lane[row.arrowStart]); }),
        integerColumn("to_lane_id", "The lane where it ends",
                      [](QueryRow &row) { return idOrNull(flowsOf(row).lane[row.number]); }),
    });
    return table;
}

} // namespace riffle
