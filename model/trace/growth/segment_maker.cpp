// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/segment_maker.h"

#include "model/trace/growth/column_pack.h"

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

/// Fills in what follows from the other columns.
void complete(Segment &segment, ColumnPack &pack)
{
    const uint32_t count = segment.size();
    const std::span<uint32_t> byId = pack.take<uint32_t>(count);
    std::iota(byId.begin(), byId.end(), 0u);
    std::ranges::sort(byId, {}, [&](uint32_t index) { return segment.ids[index]; });
    segment.byId = pack.column(byId);
    segment.firstSlice = count ? segment.ids[byId.front()] : 0;
    const std::span<Ns> lod = pack.take<Ns>(lodEntryCount(count));
    buildLod(segment.slices.duration.span(), lod);
    segment.lod = lodFromEntries(pack.column(lod), count);
    segment.span = {INT64_MAX, INT64_MIN};
    for (uint32_t at = 0; at < count; ++at) {
        segment.span.begin = std::min(segment.span.begin, segment.slices.start[at]);
        segment.span.end = std::max(segment.span.end, segment.end(at));
    }
}

void reserveColumns(ColumnPack &pack, size_t slices, size_t rows)
{
    pack.reserveTable<SliceTableT>(slices);
    pack.reserveTable<NestingTableT>(slices);
    pack.reserve<uint32_t>(slices); // ids
    pack.reserve<uint32_t>(slices); // byId
    pack.reserve<uint32_t>(rows + 1);
    pack.reserve<Ns>(lodEntryCount(slices));
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
    reserveColumns(pack, count, begins.size() - 1);
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
    complete(*segment, pack);
    segment->operators = side.operators.made(pack);
    segment->python = side.python.made(pack);
    segment->device = side.device.made(pack);
    segment->collectives = side.collectives.made(pack);
    segment->syncs = side.syncs.made(pack);
    return segment;
}

namespace {

/// Appends the rows of all segments' side tables, ordered by slice.
template <template <template <typename> class> class TableT>
class MergedSide {
public:
    MergedSide(std::span<const std::shared_ptr<const Segment>> segments, TableT<Column> Segment::*table)
        : m_segments(segments)
        , m_table(table)
    {
        for (uint32_t part = 0; part < segments.size(); ++part)
            for (uint32_t row = 0; row < ((*segments[part]).*table).slice.size(); ++row)
                m_places.push_back({((*segments[part]).*table).slice[row], part, row});
        std::ranges::sort(m_places, {}, &Place::slice);
    }
    void reserve(ColumnPack &pack) const { pack.reserveTable<TableT>(m_places.size()); }
    TableT<Column> made(ColumnPack &pack) const
    {
        TableT<Column> merged;
        auto columns = merged.members();
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            const auto one = [&]<size_t Index>(std::integral_constant<size_t, Index>) {
                using T = typename std::decay_t<decltype(std::get<Index>(columns))>::value_type;
                std::get<Index>(columns) = pack.filled<T>(m_places.size(), [&](size_t at) {
                    const Place &place = m_places[at];
                    return std::get<Index>(((*m_segments[place.part]).*m_table).members())[place.row];
                });
            };
            (one(std::integral_constant<size_t, I>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
        return merged;
    }

private:
    struct Place {
        uint32_t slice, part, row;
    };
    std::span<const std::shared_ptr<const Segment>> m_segments;
    TableT<Column> Segment::*m_table;
    std::vector<Place> m_places;
};

} // namespace

std::shared_ptr<const Segment> mergedSegment(std::span<const std::shared_ptr<const Segment>> segments)
{
    uint32_t count = 0, rows = 0;
    for (const auto &segment : segments) {
        count += segment->size();
        rows = std::max(rows, segment->rows());
    }
    // newBegin[part][row]: the new index of the first slice that the part has in the row.
    std::vector<uint32_t> begins(rows + 1, 0);
    std::vector<std::vector<uint32_t>> newBegin(segments.size(), std::vector<uint32_t>(rows, 0));
    uint32_t next = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        begins[row] = next;
        for (size_t part = 0; part < segments.size(); ++part) {
            newBegin[part][row] = next;
            if (row < segments[part]->rows())
                next += segments[part]->rowBegin[row + 1] - segments[part]->rowBegin[row];
        }
    }
    begins[rows] = next;
    const auto newIndex = [&](size_t part, uint32_t index) {
        const uint32_t row = segments[part]->rowOf(index);
        return newBegin[part][row] + index - segments[part]->rowBegin[row];
    };
    ColumnPack pack;
    reserveColumns(pack, count, rows);
    const MergedSide<OperatorTableT> operators(segments, &Segment::operators);
    const MergedSide<PythonTableT> python(segments, &Segment::python);
    const MergedSide<DeviceTableT> device(segments, &Segment::device);
    const MergedSide<CollectiveTableT> collectives(segments, &Segment::collectives);
    const MergedSide<SyncTableT> syncs(segments, &Segment::syncs);
    operators.reserve(pack);
    python.reserve(pack);
    device.reserve(pack);
    collectives.reserve(pack);
    syncs.reserve(pack);

    auto merged = std::make_shared<Segment>();
    merged->lane = segments.front()->lane;
    merged->grows = true;
    // Copies a column, row by row of the lane, part by part.
    const auto joined = [&]<typename T>(const auto &columnOf, std::type_identity<T>) {
        const std::span<T> all = pack.take<T>(count);
        for (size_t part = 0; part < segments.size(); ++part) {
            const Column<T> &column = columnOf(*segments[part]);
            for (uint32_t row = 0; row < segments[part]->rows(); ++row) {
                const uint32_t from = segments[part]->rowBegin[row], to = segments[part]->rowBegin[row + 1];
                std::copy(column.begin() + from, column.begin() + to, all.begin() + newBegin[part][row]);
            }
        }
        return pack.column(all);
    };
    const auto joinTable = [&](auto Segment::*table) {
        auto columns = ((*merged).*table).members();
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            const auto one = [&]<size_t Index>(std::integral_constant<size_t, Index>) {
                using T = typename std::decay_t<decltype(std::get<Index>(columns))>::value_type;
                std::get<Index>(columns) = joined(
                    [&](const Segment &segment) -> const Column<T> & {
                        return std::get<Index>((segment.*table).members());
                    },
                    std::type_identity<T>());
            };
            (one(std::integral_constant<size_t, I>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
    };
    joinTable(&Segment::slices);
    joinTable(&Segment::nesting);
    const std::span<uint32_t> parents(const_cast<uint32_t *>(merged->nesting.parent.data()), count);
    for (size_t part = 0; part < segments.size(); ++part)
        for (uint32_t row = 0; row < segments[part]->rows(); ++row)
            for (uint32_t index = segments[part]->rowBegin[row]; index < segments[part]->rowBegin[row + 1]; ++index)
                if (const uint32_t parent = segments[part]->nesting.parent[index]; parent != kNoRow)
                    parents[newIndex(part, index)] = newIndex(part, parent);
    merged->ids = joined([](const Segment &segment) -> const Column<uint32_t> & { return segment.ids; },
                         std::type_identity<uint32_t>());
    merged->rowBegin = pack.filled<uint32_t>(begins.size(), [&](size_t row) { return begins[row]; });
    complete(*merged, pack);
    merged->operators = operators.made(pack);
    merged->python = python.made(pack);
    merged->device = device.made(pack);
    merged->collectives = collectives.made(pack);
    merged->syncs = syncs.made(pack);
    return merged;
}

namespace {

template <template <template <typename> class> class TableT>
TableT<Value> rowOfTable(const TableT<Column> &table, size_t row)
{
    TableT<Value> values;
    std::apply(
        [&](auto &...fields) {
            std::apply([&](const auto &...columns) { ((fields = columns[row]), ...); }, table.members());
        },
        values.members());
    return values;
}

} // namespace

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
        slice.row = rowOfTable<SliceTableT>(segment.slices, index);
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
        take(segment.operators, [&](size_t row) { side.detail = rowOfTable<OperatorTableT>(segment.operators, row); });
        take(segment.python, [&](size_t row) { side.detail = rowOfTable<PythonTableT>(segment.python, row); });
        take(segment.device, [&](size_t row) { side.detail = rowOfTable<DeviceTableT>(segment.device, row); });
        take(segment.collectives,
             [&](size_t row) { side.collective = rowOfTable<CollectiveTableT>(segment.collectives, row); });
        take(segment.syncs, [&](size_t row) { side.sync = rowOfTable<SyncTableT>(segment.syncs, row); });
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
