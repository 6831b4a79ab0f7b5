// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <riffle/wire.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::test {

/// A chunk for a log, built column by column as wire.h says; shares no code with the collector.
class LogChunkText {
public:
    explicit LogChunkText(wire::ChunkType type) : m_type(type) {}

    LogChunkText &delta(wire::Field field, const std::vector<int64_t> &values);
    LogChunkText &plain(wire::Field field, const std::vector<int64_t> &values);
    LogChunkText &doubles(wire::Field field, const std::vector<double> &values);
    LogChunkText &texts(const std::vector<std::string> &values); ///< Bytes and Text
    LogChunkText &raw(wire::Field field, uint8_t encoding, std::string_view bytes, uint32_t rows);
    LogChunkText &times(int64_t begin, int64_t end);
    LogChunkText &compressed(bool yes) { return m_compressed = yes, *this; }

    /// For tests of damage: what the header says instead.
    LogChunkText &claimRows(uint32_t rows) { return m_rows = rows, *this; }
    LogChunkText &claimColumns(uint32_t columns) { return m_columns = columns, *this; }
    LogChunkText &claimRawBytes(uint32_t bytes) { return m_claimedRaw = bytes, *this; }

    /// Header and payload, with their checksum.
    std::string bytes() const;

private:
    void column(wire::Field field, wire::Encoding encoding, std::string_view bytes, size_t rows);

    wire::ChunkType m_type;
    std::string m_payload;
    uint32_t m_rows = 0, m_columns = 0, m_claimedRaw = UINT32_MAX;
    int64_t m_begin = 0, m_end = 0;
    bool m_compressed = false;
};

/// A file of a log in the making. Strings get their ids, and are written, when they are first asked for.
class LogFileText {
public:
    explicit LogFileText(uint32_t sequence = 1, uint8_t session = 1, uint32_t pid = 4321);

    int64_t id(const std::string &text);
    std::vector<int64_t> ids(const std::vector<std::string> &texts);
    LogFileText &add(const LogChunkText &chunk) { return m_bytes += chunk.bytes(), *this; }
    LogFileText &thread(int64_t index, int64_t osThread, const std::string &name);
    LogFileText &process(const std::map<std::string, std::string> &facts);
    LogFileText &clocks(int64_t time, int64_t realtime);
    LogFileText &end() { return add(LogChunkText(wire::ChunkType::End)); }
    const std::string &bytes() const { return m_bytes; }

private:
    std::string m_bytes;
    std::map<std::string, int64_t> m_ids;
};

/// A folder for the parts of a log, gone with the object.
class LogFolder {
public:
    LogFolder();
    ~LogFolder();
    LogFolder(const LogFolder &) = delete;
    LogFolder &operator=(const LogFolder &) = delete;

    /// Writes a part and gives its path.
    std::string write(const std::string &name, std::string_view bytes) const;
    const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

/// A log of everything: two threads with nested ranges and operators, a step, marks, counters, kernels, copies and
/// memsets with their calls, a synchronisation, overhead, external ids, allocations, devices, a loss, statistics, its
/// end.
LogFileText everythingLog(bool compressed = false);

/// What CUDA allocates and frees, with a pool, a thread that is not known and memory of the host; and a launch of a
/// graph.
LogFileText memoryLog();

} // namespace riffle::test
