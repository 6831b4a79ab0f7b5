// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_index.h"
#include "model/ingest/collector_log/part_tables.h"
#include "model/trace/event_arguments.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

class RowEvent;

/// Writes the rows of a chunk as the events that Kineto would have written: one JSON object per row, with Kineto's
/// argument names.
class EventText {
public:
    EventText(const LogIndex &index, const PartTables &tables, wire::ChunkType type, const ChunkColumns &columns);

    /// Returns an upper bound for the bytes of a row's text, without writing it.
    uint32_t room(uint32_t row) const
    {
        uint64_t bytes = m_fixed;
        for (const int64_t *ids : m_ids)
            bytes += ids ? m_tables.text(ids[row]).jsonBytes : 0;
        if (m_collectives && m_collectives[row] != 0 && m_collectives[row] != wire::kAbsent)
            bytes += kCollectiveRoom + m_tables.text(m_collectives[row]).jsonBytes;
        if (m_stacks)
            bytes += m_tables.stackRoom(m_stacks[row]);
        return static_cast<uint32_t>(bytes);
    }
    /// Appends the text; nothing for rows that are not events.
    void append(std::string &out, uint32_t row) const;
    /// Returns the arguments of the row's event; none for rows that are not events.
    EventArguments arguments(uint32_t row) const;
    /// Appends, after a comma, this row's end of the arrow from a launch to its device work; nothing if the row has no
    /// arrow.
    void appendFlow(std::string &out, uint32_t row) const;
    /// The tid of the lane for a gap's source: its name, with the thread that it concerns.
    std::string gapLane(uint32_t row) const;
    /// The duration of a gap, of one that never ended up to the end of the log; 0 if it is not shown.
    int64_t gapDuration(uint32_t row) const;

private:
    static constexpr uint32_t kCollectiveRoom = 512; ///< bytes for the keys and the sequence number
    std::string_view text(wire::Field field, uint32_t row) const
    {
        return m_tables.text(m_columns.value(field, row)).text;
    }
    int64_t value(wire::Field field, uint32_t row) const { return m_columns.value(field, row); }
    void describe(RowEvent &event, uint32_t row) const;
    void describeRange(RowEvent &event, uint32_t row) const;
    void describeCollective(RowEvent &event, uint32_t row) const;
    void describeMark(RowEvent &event, uint32_t row) const;
    void describeCounter(RowEvent &event, uint32_t row) const;
    static void describeBandwidth(RowEvent &event, int64_t bytes, int64_t duration);
    void describeDeviceWork(RowEvent &event, uint32_t row) const;
    void describeCall(RowEvent &event, uint32_t row) const;
    void describeOverhead(RowEvent &event, uint32_t row) const;
    void describeAllocation(RowEvent &event, uint32_t row) const;
    void describeGap(RowEvent &event, uint32_t row) const;
    void describePayload(RowEvent &event, uint32_t row) const;
    void beginOnThread(RowEvent &event, char phase, uint32_t row, wire::Field time) const;

    const LogIndex &m_index;
    const PartTables &m_tables;
    const ChunkColumns &m_columns;
    wire::ChunkType m_type;
    uint32_t m_fixed = 0; ///< room for keys and numbers in bytes; 0 if the rows are not events
    std::array<const int64_t *, 7> m_ids{};
    const int64_t *m_stacks = nullptr;
    const int64_t *m_collectives = nullptr;
};

/// Returns the category of a slice on a thread: the given one, with a prefix if it would otherwise mean device work.
std::string hostCategory(std::string_view given);
/// Returns the category for rows of this chunk type that do not have their own.
std::string_view categoryOf(wire::ChunkType type, std::string_view name);
/// The pid and tid of the lane for the profiler's own work, as in Kineto.
inline constexpr int64_t kOverheadPid = -1;
inline constexpr int64_t kOverheadTid = 0;
/// The stream for synchronizations that wait for a whole context.
inline constexpr int64_t kAllStreams = -1;

inline bool isDeviceWork(wire::ChunkType type)
{
    return type == wire::ChunkType::Kernels || type == wire::ChunkType::Copies || type == wire::ChunkType::Syncs;
}

} // namespace riffle
