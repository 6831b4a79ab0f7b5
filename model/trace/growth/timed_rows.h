// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/growth/column_pack.h"
#include "model/trace/growth/merge_thread.h"
#include "model/trace/seal/lane_measures.h"
#include "model/trace/table_rows.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace riffle {

/// The order of the rows in the tables of events without a duration.
inline auto orderOf(const MemoryRow &row) { return std::tuple(row.time, row.sourceOffset); }
inline auto orderOf(const InstantRow &row) { return std::tuple(row.lane, row.time, row.sourceOffset); }
inline auto orderOf(const CounterRow &row) { return std::tuple(row.lane, row.series, row.time, row.sourceOffset); }

/// A table of events without a duration that grows. New rows are merged into it beside the ticks, and all the less
/// often the larger it is, so that a row costs about the same at any time. Until then, they are not in the table.
template <template <template <typename> class> class TableT>
class TimedRows {
public:
    using Row = TableT<Value>;

    /// Both outlive this object.
    TimedRows(GrowthMemory &memory, MergeThread &merger) : m_memory(memory), m_merger(merger) {}

    void add(const Row &row) { m_new.push_back(row); }
    /// Rows before this time leave with the next merge.
    void leaveBefore(Ns time) { m_first = time; }
    /// Takes new rows into the table, if it is time to: once in each tick.
    void advance()
    {
        ++m_ticks;
        takeMerged();
        const bool isDue = m_new.size() >= m_made.rows() / kShare || m_ticks * kRowsPerTick >= m_made.rows();
        if (!m_merge && isDue && !m_new.empty())
            start(m_merger, &m_memory);
    }
    /// Takes all rows into the table.
    void finish()
    {
        m_new.insert(m_new.begin(), m_merging->begin(), m_merging->end());
        m_merge.reset();
        MergeThread atOnce(UINT64_MAX);
        start(atOnce, nullptr); // the last ones must not be missing, whether the window is full or not
        takeMerged();
    }
    /// The time in the middle of the table; INT64_MIN if it is empty.
    Ns middle() const { return m_made.rows() == 0 ? INT64_MIN : m_made.table.time[m_made.rows() / 2]; }
    const TableT<Column> &table() const { return m_made.table; }
    const std::vector<TimedRange> &ranges() const { return m_made.ranges; }

private:
    using Rows = std::vector<Row>;
    struct Made {
        TableT<Column> table;
        std::vector<TimedRange> ranges;
        size_t rows() const { return table.time.size(); }
    };
    static constexpr size_t kShare = 8, kRowsPerTick = 32'768;

    void start(MergeThread &merger, GrowthMemory *memory)
    {
        m_merging = std::make_shared<Rows>(std::move(m_new));
        m_new.clear();
        m_ticks = 0;
        m_merge = merger.template start<Made>(m_made.rows() + m_merging->size(),
                                              [old = m_made.table, added = m_merging, first = m_first, memory] {
                                                  return merged(old, *added, first, memory);
                                              });
    }
    void takeMerged()
    {
        if (!m_merge || !m_merge->isDone())
            return;
        if (const auto made = m_merge->result())
            m_merger.release(std::exchange(m_made, *made));
        else // no memory: try again with the next rows
            m_new.insert(m_new.begin(), m_merging->begin(), m_merging->end());
        m_merging = std::make_shared<Rows>();
        m_merge.reset();
    }
    static std::shared_ptr<const Made> merged(const TableT<Column> &old, const Rows &added, Ns first,
                                              GrowthMemory *memory)
    {
        struct Place {
            uint32_t row;
            bool isNew;
        };
        std::vector<uint32_t> order;
        for (uint32_t row = 0; row < added.size(); ++row)
            if (added[row].time >= first)
                order.push_back(row);
        std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return orderOf(added[a]) < orderOf(added[b]); });
        const auto oldRows = static_cast<uint32_t>(old.time.size());
        BigVector<Place> places;
        places.reserve(oldRows + order.size());
        uint32_t taken = 0;
        const auto takeOld = [&](uint32_t end) {
            for (; taken < end; ++taken)
                if (old.time[taken] >= first)
                    places.push_back({taken, false});
        };
        for (const uint32_t row : order) {
            uint32_t end = taken;
            for (uint32_t count = oldRows - taken; count > 0;)
                if (const uint32_t half = count / 2; orderOf(rowAt(old, end + half)) < orderOf(added[row])) {
                    end += half + 1;
                    count -= half + 1;
                } else {
                    count = half;
                }
            takeOld(end);
            places.push_back({row, true});
        }
        takeOld(oldRows);

        ColumnPack pack(memory);
        pack.reserveTable<TableT>(places.size());
        if (!pack.allocate())
            return nullptr;
        auto made = std::make_shared<Made>();
        made->table = pack.gathered<TableT>(places.size(), [&](auto column, size_t at) {
            constexpr size_t kColumn = decltype(column)::value;
            return places[at].isNew ? std::get<kColumn>(added[places[at].row].members())
                                    : std::get<kColumn>(old.members())[places[at].row];
        });
        made->ranges = timedRanges(made->table.lane, made->table.time);
        return made;
    }

    GrowthMemory &m_memory;
    MergeThread &m_merger;
    Rows m_new;
    std::shared_ptr<const Rows> m_merging = std::make_shared<Rows>(); ///< the rows that are being merged
    std::shared_ptr<const MergeThread::Merge<Made>> m_merge;          ///< null if none is under way
    Made m_made;
    Ns m_first = INT64_MIN;
    size_t m_ticks = 0;
};

} // namespace riffle
