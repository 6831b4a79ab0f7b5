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

/// A chunk of a log, built column by column as wire.h says. Shares no code with the collector.
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

    /// For tests of damage: the number of rows that the header claims.
    LogChunkText &claimRows(uint32_t rows) { return m_rows = rows, *this; }
    LogChunkText &claimColumns(uint32_t columns) { return m_columns = columns, *this; }
    LogChunkText &claimRawBytes(uint32_t bytes) { return m_claimedRaw = bytes, *this; }

    /// The header and the payload, with their checksum.
    std::string bytes() const;

private:
    void column(wire::Field field, wire::Encoding encoding, std::string_view bytes, size_t rows);

    wire::ChunkType m_type;
    std::string m_payload;
    uint32_t m_rows = 0, m_columns = 0, m_claimedRaw = UINT32_MAX;
    int64_t m_begin = 0, m_end = 0;
    bool m_compressed = false;
};

/// A file of a log that is being built. A string gets its id, and is written, when it is first requested.
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

/// A folder for the parts of a log, removed with the object.
class LogFolder {
public:
    LogFolder();
    ~LogFolder();
    LogFolder(const LogFolder &) = delete;
    LogFolder &operator=(const LogFolder &) = delete;

    /// Writes a part and returns its path.
    std::string write(const std::string &name, std::string_view bytes) const;
    const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

/// A log with everything: two threads with nested ranges and operators, a step, marks, counters, kernels, copies and
/// memsets with their calls, a synchronisation, overhead, external ids, allocations, devices, a loss, statistics, and
/// the end of the log.
LogFileText everythingLog(bool compressed = false);

/// A log of CUDA's allocations and frees, with a pool, an unknown thread and host memory, and of a graph launch.
LogFileText memoryLog();

} // namespace riffle::test
