// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/merged_segment.h"

#include "model/trace/growth/segment_columns.h"

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

using Parts = std::span<const std::shared_ptr<const Segment>>;

/// Appends the rows of all segments' side tables, ordered by slice.
template <template <template <typename> class> class TableT>
class MergedSide {
public:
    MergedSide(Parts segments, TableT<Column> Segment::*table) : m_segments(segments), m_table(table)
    {
        for (uint32_t part = 0; part < segments.size(); ++part)
            for (uint32_t row = 0; row < ((*segments[part]).*table).slice.size(); ++row)
                m_places.push_back({((*segments[part]).*table).slice[row], part, row});
        std::ranges::sort(m_places, {}, &Place::slice);
    }
    void reserve(ColumnPack &pack) const { pack.reserveTable<TableT>(m_places.size()); }
    TableT<Column> made(ColumnPack &pack) const
    {
        return pack.gathered<TableT>(m_places.size(), [&](auto column, size_t at) {
            const Place &place = m_places[at];
            return std::get<decltype(column)::value>(((*m_segments[place.part]).*m_table).members())[place.row];
        });
    }

private:
    struct Place {
        uint32_t slice, part, row;
    };
    Parts m_segments;
    TableT<Column> Segment::*m_table;
    std::vector<Place> m_places;
};

/// The places of the slices of all parts in the merged segment: row by row, part by part.
class MergedOrder {
public:
    explicit MergedOrder(Parts parts) : m_parts(parts), m_places(parts.size())
    {
        uint32_t rows = 0;
        for (size_t part = 0; part < parts.size(); ++part) {
            m_places[part].resize(parts[part]->size());
            rows = std::max(rows, parts[part]->rows());
        }
        uint32_t next = 0;
        for (uint32_t row = 0; row < rows; ++row) {
            m_rowBegin.push_back(next);
            for (size_t part = 0; part < parts.size(); ++part)
                if (row < parts[part]->rows())
                    for (uint32_t at = parts[part]->rowBegin[row]; at < parts[part]->rowBegin[row + 1]; ++at)
                        m_places[part][at] = next++;
        }
        m_rowBegin.push_back(next);
    }
    uint32_t size() const { return m_rowBegin.back(); }
    const std::vector<uint32_t> &rowBegin() const { return m_rowBegin; }

    /// Joins a column of all parts; `valueOf(value, places)` translates a value, where `places` are those of its part.
    template <typename T, typename ColumnOf, typename ValueOf>
    Column<T> joined(ColumnPack &pack, ColumnOf columnOf, ValueOf valueOf) const
    {
        const std::span<T> all = pack.take<T>(size());
        for (size_t part = 0; part < m_parts.size(); ++part) {
            const Column<T> &column = columnOf(*m_parts[part]);
            for (uint32_t at = 0; at < column.size(); ++at)
                all[m_places[part][at]] = valueOf(column[at], m_places[part]);
        }
        return pack.column(all);
    }
    template <typename T, typename ColumnOf>
    Column<T> joined(ColumnPack &pack, ColumnOf columnOf) const
    {
        return joined<T>(pack, columnOf, [](const T &value, const std::vector<uint32_t> &) { return value; });
    }
    template <template <template <typename> class> class TableT>
    TableT<Column> joinedTable(ColumnPack &pack, TableT<Column> Segment::*table) const
    {
        TableT<Column> merged;
        auto columns = merged.members();
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            const auto one = [&]<size_t Index>(std::integral_constant<size_t, Index>) {
                using T = typename std::decay_t<decltype(std::get<Index>(columns))>::value_type;
                std::get<Index>(columns) = joined<T>(pack, [&](const Segment &part) -> const Column<T> & {
                    return std::get<Index>((part.*table).members());
                });
            };
            (one(std::integral_constant<size_t, I>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
        return merged;
    }
    /// The places ordered by the ids there, of which those of a part are mostly before those of the next one.
    Column<uint32_t> byId(ColumnPack &pack, const Column<uint32_t> &ids) const
    {
        const std::span<uint32_t> all = pack.take<uint32_t>(size());
        size_t next = 0;
        for (size_t part = 0; part < m_parts.size(); ++part)
            for (const uint32_t index : m_parts[part]->byId)
                all[next++] = m_places[part][index];
        const auto idOf = [&](uint32_t place) { return ids[place]; };
        if (!std::ranges::is_sorted(all, {}, idOf))
            std::ranges::sort(all, {}, idOf);
        return pack.column(all);
    }

private:
    Parts m_parts;
    std::vector<std::vector<uint32_t>> m_places; ///< by part and index in it
    std::vector<uint32_t> m_rowBegin;            ///< as in Segment
};

} // namespace

std::shared_ptr<const Segment> mergedSegment(Parts segments, GrowthMemory &memory)
{
    const MergedOrder order(segments);
    const MergedSide<OperatorTableT> operators(segments, &Segment::operators);
    const MergedSide<PythonTableT> python(segments, &Segment::python);
    const MergedSide<DeviceTableT> device(segments, &Segment::device);
    const MergedSide<CollectiveTableT> collectives(segments, &Segment::collectives);
    const MergedSide<SyncTableT> syncs(segments, &Segment::syncs);
    ColumnPack pack(&memory);
    reserveSlices(pack, order.size(), order.rowBegin().size() - 1);
    operators.reserve(pack);
    python.reserve(pack);
    device.reserve(pack);
    collectives.reserve(pack);
    syncs.reserve(pack);
    if (!pack.allocate())
        return nullptr;

    auto merged = std::make_shared<Segment>();
    merged->lane = segments.front()->lane;
    merged->grows = true;
    merged->slices = order.joinedTable<SliceTableT>(pack, &Segment::slices);
    merged->nesting.self =
        order.joined<Ns>(pack, [](const Segment &part) -> const Column<Ns> & { return part.nesting.self; });
    merged->nesting.parent = order.joined<uint32_t>(
        pack, [](const Segment &part) -> const Column<uint32_t> & { return part.nesting.parent; },
        [](uint32_t parent, const std::vector<uint32_t> &places) {
            return parent == kNoRow ? kNoRow : places[parent];
        });
    merged->nesting.depth = order.joined<uint32_t>(
        pack, [](const Segment &part) -> const Column<uint32_t> & { return part.nesting.depth; });
    merged->ids =
        order.joined<uint32_t>(pack, [](const Segment &part) -> const Column<uint32_t> & { return part.ids; });
    merged->byId = order.byId(pack, merged->ids);
    merged->rowBegin =
        pack.filled<uint32_t>(order.rowBegin().size(), [&](size_t row) { return order.rowBegin()[row]; });
    measure(*merged, pack);
    merged->operators = operators.made(pack);
    merged->python = python.made(pack);
    merged->device = device.made(pack);
    merged->collectives = collectives.made(pack);
    merged->syncs = syncs.made(pack);
    return merged;
}

} // namespace riffle
