// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/segment_maker.h"

#include "model/trace/growth/segment_columns.h"
#include "model/trace/table_rows.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace riffle {

namespace {

/// The rows of one side table.
template <template <template <typename> class> class TableT>
struct SideTable {
    std::vector<TableT<Value>> rows;

    void add(TableT<Value> row, SliceId id)
    {
        row.slice = id.value;
        rows.push_back(row);
    }
    void reserve(ColumnPack &pack)
    {
        std::ranges::sort(rows, {}, [](const auto &row) { return row.slice; });
        pack.reserveTable<TableT>(rows.size());
    }
    TableT<Column> made(ColumnPack &pack) const
    {
        return pack.table<TableT>(rows.size(), [&](size_t row) -> const TableT<Value> & { return rows[row]; });
    }
};

struct SideTableRows {
    SideTable<OperatorTableT> operators;
    SideTable<PythonTableT> python;
    SideTable<DeviceTableT> device;
    SideTable<CollectiveTableT> collectives;
    SideTable<SyncTableT> syncs;

    void add(const SideRows &side, SliceId id)
    {
        if (const auto *call = std::get_if<OperatorRow>(&side.detail))
            operators.add(*call, id);
        else if (const auto *frame = std::get_if<PythonRow>(&side.detail))
            python.add(*frame, id);
        else if (const auto *work = std::get_if<DeviceRow>(&side.detail))
            device.add(*work, id);
        if (side.collective)
            collectives.add(*side.collective, id);
        if (side.sync)
            syncs.add(*side.sync, id);
    }
};

/// Returns the number of slices in each row and before it.
std::vector<uint32_t> rowBegins(std::span<const uint32_t> rows)
{
    std::vector<uint32_t> begins(rows.empty() ? 1 : *std::ranges::max_element(rows) + 2, 0);
    for (const uint32_t row : rows)
        ++begins[row + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return begins;
}

} // namespace

std::shared_ptr<const Segment> makeSegment(LaneId lane, std::span<const GrowingSlice *const> slices,
                                           const PieceNesting &nesting, std::span<const uint32_t> rows)
{
    const auto count = static_cast<uint32_t>(slices.size());
    assert(nesting.parent.size() == count && rows.size() == count);
    const std::vector<uint32_t> begins = rowBegins(rows);
    std::vector<uint32_t> indexOf(count), from(count), next(begins.begin(), begins.end() - 1);
    SideTableRows side;
    for (uint32_t at = 0; at < count; ++at) {
        indexOf[at] = next[rows[at]]++;
        from[indexOf[at]] = at;
        if (slices[at]->side)
            side.add(*slices[at]->side, slices[at]->id);
    }
    ColumnPack pack;
    reserveSlices(pack, count, begins.size() - 1);
    side.operators.reserve(pack);
    side.python.reserve(pack);
    side.device.reserve(pack);
    side.collectives.reserve(pack);
    side.syncs.reserve(pack);

    auto segment = std::make_shared<Segment>();
    segment->lane = lane;
    segment->grows = true;
    segment->slices =
        pack.table<SliceTableT>(count, [&](size_t index) -> const SliceRow & { return slices[from[index]]->row; });
    segment->nesting.self = pack.filled<Ns>(count, [&](size_t index) { return nesting.self[from[index]]; });
    segment->nesting.parent = pack.filled<uint32_t>(count, [&](size_t index) {
        const uint32_t parent = nesting.parent[from[index]];
        return parent == kNoRow ? kNoRow : indexOf[parent];
    });
    segment->nesting.depth = pack.filled<uint32_t>(count, [&](size_t index) { return nesting.depth[from[index]]; });
    segment->ids = pack.filled<uint32_t>(count, [&](size_t index) { return slices[from[index]]->id.value; });
    segment->rowBegin = pack.filled<uint32_t>(begins.size(), [&](size_t row) { return begins[row]; });
    const std::span<uint32_t> byId = pack.take<uint32_t>(count);
    std::iota(byId.begin(), byId.end(), 0u);
    std::ranges::sort(byId, {}, [&](uint32_t index) { return segment->ids[index]; });
    segment->byId = pack.column<uint32_t>(byId);
    measure(*segment, pack);
    segment->operators = side.operators.made(pack);
    segment->python = side.python.made(pack);
    segment->device = side.device.made(pack);
    segment->collectives = side.collectives.made(pack);
    segment->syncs = side.syncs.made(pack);
    return segment;
}

SegmentSlices slicesOf(const Segment &segment)
{
    SegmentSlices all;
    std::vector<uint32_t> order(segment.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](uint32_t index) {
        return std::tuple(segment.slices.start[index], -segment.slices.duration[index],
                          segment.slices.sourceOffset[index]);
    };
    std::ranges::sort(order, {}, key);
    for (const uint32_t index : order) {
        GrowingSlice slice;
        slice.row = rowAt(segment.slices, index);
        slice.id = segment.idAt(index);
        SideRows side;
        bool hasSide = false;
        const auto take = [&](const auto &table, auto store) {
            const auto row = std::ranges::lower_bound(table.slice, slice.id.value);
            if (row == table.slice.end() || *row != slice.id.value)
                return;
            store(static_cast<size_t>(row - table.slice.begin()));
            hasSide = true;
        };
        take(segment.operators, [&](size_t row) { side.detail = rowAt(segment.operators, row); });
        take(segment.python, [&](size_t row) { side.detail = rowAt(segment.python, row); });
        take(segment.device, [&](size_t row) { side.detail = rowAt(segment.device, row); });
        take(segment.collectives, [&](size_t row) { side.collective = rowAt(segment.collectives, row); });
        take(segment.syncs, [&](size_t row) { side.sync = rowAt(segment.syncs, row); });
        if (hasSide)
            slice.side = std::make_unique<SideRows>(side);
        all.slices.push_back(std::move(slice));
        all.rows.push_back(segment.rowOf(index));
    }
    return all;
}

namespace {

template <typename T>
Column<T> withValue(const Column<T> &column, uint32_t index, T value)
{
    ColumnPack pack;
    pack.reserve<T>(column.size());
    return pack.filled<T>(column.size(), [&](size_t at) { return at == index ? value : column[at]; });
}

} // namespace

std::shared_ptr<const Segment> withSelf(const Segment &segment, uint32_t index, Ns self)
{
    auto changed = std::make_shared<Segment>(segment);
    changed->nesting.self = withValue(segment.nesting.self, index, self);
    return changed;
}

std::shared_ptr<const Segment> withExternalId(const Segment &segment, uint32_t index, int64_t externalId)
{
    auto changed = std::make_shared<Segment>(segment);
    if (segment.slices.externalId[index] == kNoInt)
        changed->slices.externalId = withValue(segment.slices.externalId, index, externalId);
    return changed;
}

} // namespace riffle
