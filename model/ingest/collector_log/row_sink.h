// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"
#include "model/ingest/collector_log/event_text.h"
#include "model/ingest/part_filter.h"
#include "model/trace/trace_builder.h"

#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// Turns the rows of a log's chunks into rows of a trace writer. One per worker; chunks come in ascending order.
class RowSink {
public:
    RowSink(TraceWriter &writer, const LogIndex &index, PartFilter filter)
        : m_writer(&writer)
        , m_index(index)
        , m_filter(filter)
    {
    }

    /// Makes the following rows those of another writer.
    void useWriter(TraceWriter &writer);
    /// Sets the strings and threads that the following chunks refer to.
    void usePart(std::shared_ptr<const PartTables> tables);
    /// `address` is that of the chunk's first row, here and below.
    void add(uint64_t address, wire::ChunkType type, const ChunkColumns &columns);
    /// Adds the slices that started in these rows of an OpenRanges or OpenGaps chunk and never ended.
    void addUnfinished(uint64_t address, wire::ChunkType type, const ChunkColumns &columns,
                       const std::vector<uint32_t> &rows);

    /// The device and stream of each lane with device work.
    const std::set<std::pair<int64_t, int64_t>> &streams() const { return m_streams; }

private:
    struct Category {
        uint32_t id = 0;
        bool annotation = false, isOperator = false, isFrame = false;
    };
    /// One row of the chunk that is being read.
    struct Place {
        uint32_t row = 0;
        uint64_t address = 0;
        uint32_t room = 0;
    };
    template <typename Add>
    void eachRow(uint64_t address, wire::ChunkType type, const ChunkColumns &columns, Add add);

    void addRange(const Place &at);
    void addCollective(const Place &at);
    void addUnfinishedRange(const Place &at);
    void addDeviceWork(const Place &at);
    void addCall(const Place &at);
    void addOverhead(const Place &at);
    void addMark(const Place &at);
    void addCounter(const Place &at);
    void addAllocation(const Place &at);
    void addGap(const Place &at);

    /// Fills in everything except the name; returns false if the row has no time.
    bool fill(SliceRow &row, const Place &at, Category category, uint16_t flags);
    /// Reads a time and reports it if it is missing or absurd; returns false if it is missing.
    bool timeOf(const Place &at, wire::Field field, Ns &time);
    bool leavesOutSlice(const SliceRow &row, bool device, const Place &at);
    bool leavesOut(Ns time, const Place &at) { return m_filter.leavesOut(time, m_writer->report(), at.address); }

    int64_t value(wire::Field field, const Place &at) const { return m_columns->value(field, at.row); }
    int32_t smallValue(wire::Field field, const Place &at) const;
    std::string_view textOf(wire::Field field, const Place &at) const { return m_tables->text(value(field, at)).text; }
    uint32_t string(wire::Field field, const Place &at);
    Category category(int64_t id, const Place &at);
    Category ownCategory(std::string_view name, const Place &at);
    uint64_t shapesHashOf(int64_t id);
    uint64_t textListHashOf(int64_t id);
    uint64_t stackHashOf(int64_t id);
    uint32_t threadLane(const Place &at);
    uint32_t streamLane(int64_t device, int64_t stream, const Place &at);
    uint32_t lane(int64_t pid, int64_t tid, LaneKind kind, const Place &at);

    TraceWriter *m_writer;
    const LogIndex &m_index;
    const PartFilter m_filter;
    std::shared_ptr<const PartTables> m_tables;
    const ChunkColumns *m_columns = nullptr;
    const EventText *m_text = nullptr; ///< of these columns
    wire::ChunkType m_type = wire::ChunkType::End;

    std::vector<uint32_t> m_strings;                                    ///< the writer's string ids, by the part's
    std::vector<uint32_t> m_interned;                                   ///< the part's ids for which there is one
    std::vector<std::pair<int64_t, Category>> m_categories;             ///< the part's categories, by string id
    std::vector<std::pair<std::string_view, Category>> m_ownCategories; ///< by the address of the literal
    SeededMap<int64_t, uint32_t> m_threadLanes;
    std::pair<int64_t, uint32_t> m_lastThread{wire::kAbsent, UINT32_MAX};
    std::vector<uint64_t> m_shapeHashes, m_listHashes; ///< by the part's string id; 0 if not yet known
    std::vector<uint64_t> m_stackHashes;               ///< by the part's id of a Python stack; 0 if not yet known
    SeededMap<int64_t, CollectiveRow> m_collectives;   ///< by the part's string id of their text
    std::pair<int64_t, int64_t> m_lastStream;
    uint32_t m_lastStreamLane = UINT32_MAX;
    std::set<std::pair<int64_t, int64_t>> m_streams;
};

} // namespace riffle
