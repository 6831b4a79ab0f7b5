// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/chunk_columns.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace riffle {

/// The rows of the last OpenRanges or OpenGaps chunk that have not ended since. Ranges and gaps that were open in
/// earlier such chunks have ended or are in this one, too.
class OpenRows {
public:
    explicit OpenRows(wire::ChunkType type);

    wire::ChunkType type() const { return m_type; }
    /// The type of the chunks in which they end.
    wire::ChunkType endType() const;
    /// Takes the rows of such a chunk, instead of earlier ones.
    void open(const ChunkColumns &columns);
    /// Removes the rows that end in a later chunk of endType().
    void end(const ChunkColumns &columns);
    bool empty() const { return m_open.empty(); }
    int64_t lastStart() const { return m_lastStart; } ///< in ns; what starts later is not here
    /// The rows' numbers in their chunk, ascending.
    std::vector<uint32_t> rows() const;

private:
    /// Thread and start, and for gaps the source: two sources may share a thread and a start. It is a string id of the
    /// chunk's file; every file starts with the gaps that are open.
    using Key = std::tuple<int64_t, int64_t, int64_t>;

    wire::ChunkType m_type;
    /// Ranges with the same start are in the order in which they are listed, the outermost first.
    std::map<Key, std::vector<uint32_t>> m_open;
    int64_t m_lastStart = INT64_MIN;
};

} // namespace riffle
