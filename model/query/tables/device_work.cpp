// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

using Search = QueryColumn::Search;

const DeviceTable &workOf(const QueryRow &row) { return row.slice.segment->device; }
uint32_t workCount(const QueryFile &file) { return traceOf(file).deviceRows().count(); }
int64_t sliceOf(QueryRow &row) { return idOrNull(row.traced().deviceRows().sliceOf(row.number)); }

SliceClass enterWork(QueryRow &row)
{
    const bool isSlice = enterDetail(row, row.traced().deviceRows());
    return isSlice ? row.traced().facts().classes().of(*row.slice.segment, row.slice.at) : SliceClass::Other;
}

bool enterKernel(QueryRow &row) { return enterWork(row) == SliceClass::Kernel; }

bool enterCopy(QueryRow &row)
{
    const SliceClass kind = enterWork(row);
    return kind == SliceClass::Memcpy || kind == SliceClass::Memset;
}

void narrowWork(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges)
{
    narrowDetails(file, traceOf(file).deviceRows(), bounds, ranges);
}

int64_t correlationOf(QueryRow &row) { return row.slice.segment->slices.correlation[row.slice.at]; }

/// Returns an extent of a grid or block; values of 0 or less mean "not recorded".
template <const Column<std::array<int32_t, 3>> DeviceTable::*column, size_t axis>
int64_t extent(QueryRow &row)
{
    const int32_t value = (workOf(row).*column)[row.detail][axis];
    return value > 0 ? value : kNoInt;
}

std::vector<QueryColumn> workColumns()
{
    return joined(
        sliceColumns(sliceOf),
        {
            idColumn("device", "Index of the GPU",
                     [](QueryRow &row) { return orNull(workOf(row).device[row.detail]); }),
            idColumn("context", "CUDA context", [](QueryRow &row) { return workOf(row).context[row.detail]; }),
            idColumn("stream", "Number of the stream in the file",
                     [](QueryRow &row) { return workOf(row).stream[row.detail]; }),
            sliceColumn(
                "launch_id", "The call that launched it",
                [](QueryRow &row) { return idOrNull(row.trace().launchOf(*row.slice.segment, row.detail).value); }),
            integerColumn("correlation", "Correlation id, which joins a launch with the work that it launched",
                          correlationOf),
            integerColumn("graph_id", "The CUDA graph it is part of",
                          [](QueryRow &row) { return workOf(row).graphId[row.detail]; }),
            integerColumn("graph_node", "Its node in the CUDA graph",
                          [](QueryRow &row) { return workOf(row).graphNode[row.detail]; }),
        });
}

uint32_t launchOf(const QueryRow &row) { return row.trace().launches.launch(row.number).value; }
int64_t launchId(QueryRow &row) { return idOrNull(launchOf(row)); }

/// Synchronisations on a stream have calls, too, but they are no work.
bool enterLaunch(QueryRow &row)
{
    return row.slice.goTo(row.trace(), launchOf(row)) &&
           row.other.goTo(row.trace(), row.trace().launches.work(row.number).value) &&
           isDeviceWork(row.traced().facts().classes().of(*row.other.segment, row.other.at));
}

/// Rows are ordered by launch within a run only.
void launchRuns(const QueryFile &file, std::span<const QueryBounds>, std::vector<RowRange> &ranges)
{
    const LaunchLinks &launches = traceOf(file).trace().launches;
    for (size_t run = 0; run < launches.runs().size(); ++run)
        ranges.push_back(
            {static_cast<uint32_t>(launches.runBegin(run)), static_cast<uint32_t>(launches.runBegin(run + 1))});
}

} // namespace

QueryTable kernelsTable()
{
    return {"kernels",
            "Kernels that ran on a device, one row each",
            withTrace(joined(
                workColumns(),
                {
                    integerColumn("grid_x", "Blocks in the grid, x", extent<&DeviceTable::grid, 0>),
                    integerColumn("grid_y", "Blocks in the grid, y", extent<&DeviceTable::grid, 1>),
                    integerColumn("grid_z", "Blocks in the grid, z", extent<&DeviceTable::grid, 2>),
                    integerColumn("block_x", "Threads per block, x", extent<&DeviceTable::block, 0>),
                    integerColumn("block_y", "Threads per block, y", extent<&DeviceTable::block, 1>),
                    integerColumn("block_z", "Threads per block, z", extent<&DeviceTable::block, 2>),
                    integerColumn("registers", "Registers per thread",
                                  [](QueryRow &row) { return orNull(workOf(row).registers[row.detail]); }),
                    integerColumn("shared_memory", "Shared memory in bytes, static and dynamic",
                                  [](QueryRow &row) { return orNull(workOf(row).sharedMemory[row.detail]); }),
                    cellColumn("blocks_per_sm", "REAL", "Blocks per multiprocessor",
                               [](QueryRow &row, Cell &cell) { cell.real(workOf(row).blocksPerSm[row.detail]); }),
                    cellColumn("warps_per_sm", "REAL", "Warps per multiprocessor",
                               [](QueryRow &row, Cell &cell) { cell.real(workOf(row).warpsPerSm[row.detail]); }),
                    cellColumn("occupancy", "REAL", "Estimated achieved occupancy in percent",
                               [](QueryRow &row, Cell &cell) { cell.real(workOf(row).occupancy[row.detail]); }),
                })),
            workCount,
            enterKernel,
            narrowWork};
}

QueryTable copiesTable()
{
    return {"copies",
            "Memory copies and memsets on a device, one row each",
            withTrace(joined(workColumns(),
                             {
                                 integerColumn("bytes", "Bytes copied or set",
                                               [](QueryRow &row) { return workOf(row).bytes[row.detail]; }),
                             })),
            workCount,
            enterCopy,
            narrowWork};
}

QueryTable launchesTable()
{
    QueryTable table{"launches",  "Calls and the device work that they launched: one row per kernel, copy or memset",
                     {},          nullptr,
                     enterLaunch, launchRuns};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().launches.size()); };
    table.columns = withTrace({
        sliceColumn("id", "The slice of the call", launchId, Search::Ascending),
        integerColumn("ts", "Start of the call in ns",
                      [](QueryRow &row) { return row.traced().inSet(row.slice.start()); }),
        integerColumn("dur", "Duration of the call in ns", [](QueryRow &row) { return row.slice.duration(); }),
        stringColumn("name", "Name of the call", [](QueryRow &row) { return row.slice.name(); }),
        integerColumn("lane_id", "The lane of the call", [](QueryRow &row) { return idOrNull(row.slice.lane()); }),
        sliceColumn("device_id", "The slice of the device work", [](QueryRow &row) { return int64_t{row.other.id()}; }),
        stringColumn("device_name", "Name of the device work", [](QueryRow &row) { return row.other.name(); }),
        integerColumn("device_ts", "Start of the work in ns",
                      [](QueryRow &row) { return row.traced().inSet(row.other.start()); }),
        integerColumn("device_dur", "Duration of the work in ns", [](QueryRow &row) { return row.other.duration(); }),
        integerColumn("device_lane_id", "The lane of the work",
                      [](QueryRow &row) { return idOrNull(row.other.lane()); }),
        integerColumn("delay",
                      "Time from the end of the call to the start of the work in ns; negative if clocks disagree",
                      [](QueryRow &row) { return row.other.start() - row.slice.segment->end(row.slice.at); }),
        integerColumn("correlation", "Correlation id, which joins the two", correlationOf),
    });
    return table;
}

} // namespace riffle
