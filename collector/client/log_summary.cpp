// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/log_summary.h"

#include "riffle/wire.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <zstd.h>

namespace riffle::record {

namespace fs = std::filesystem;

namespace {

using wire::ChunkHeader;
using wire::ChunkType;

bool holdsEvents(ChunkType type)
{
    switch (type) {
    case ChunkType::Ranges:
    case ChunkType::Marks:
    case ChunkType::Counters:
    case ChunkType::Kernels:
    case ChunkType::Copies:
    case ChunkType::Calls:
    case ChunkType::Syncs:
    case ChunkType::Overheads:
    case ChunkType::Allocations: return true;
    default: return false;
    }
}

template <typename T>
bool readRecord(std::istream &from, T &record)
{
    return bool(from.read(reinterpret_cast<char *>(&record), sizeof(record)));
}

/// The payload of a chunk, decompressed; nullopt if it is damaged.
std::optional<std::string> payloadOf(std::istream &from, const ChunkHeader &header)
{
    std::string stored(header.storedBytes, '\0');
    if (!from.read(stored.data(), static_cast<std::streamsize>(stored.size())))
        return std::nullopt;
    if (!(header.flags & wire::kZstd))
        return stored;
    std::string raw(header.rawBytes, '\0');
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
    return ZSTD_isError(size) || size != raw.size() ? std::nullopt : std::optional(std::move(raw));
}

/// The sum of a column of varints (Plain).
uint64_t sumOf(std::string_view bytes)
{
    uint64_t sum = 0, value = 0;
    int shift = 0;
    for (const char letter : bytes) {
        value |= uint64_t(letter & 0x7F) << (shift & 63);
        shift += 7;
        if (letter & 0x80)
            continue;
        sum += (value >> 1) ^ (0 - (value & 1));
        value = 0;
        shift = 0;
    }
    return sum;
}

uint64_t lostIn(std::string_view payload, uint32_t columns)
{
    for (; columns && payload.size() >= sizeof(wire::ColumnHeader); --columns) {
        wire::ColumnHeader column;
        std::memcpy(&column, payload.data(), sizeof(column));
        payload.remove_prefix(sizeof(column));
        if (column.bytes > payload.size())
            return 0;
        if (column.field == wire::Field::Count && column.encoding == wire::Encoding::Plain)
            return sumOf(payload.substr(0, column.bytes));
        payload.remove_prefix(column.bytes);
    }
    return 0;
}

/// Adds the chunks of a file to the summary; returns false if the file is cut off or does not belong to a log.
bool addFile(const fs::path &path, LogSummary &summary)
{
    std::ifstream from(path, std::ios::binary);
    wire::FileHeader file;
    if (!readRecord(from, file) || std::memcmp(file.magic, wire::kMagic, sizeof(file.magic)) != 0)
        return false;
    from.seekg(file.headerBytes);
    ChunkHeader header;
    while (readRecord(from, header)) {
        if (header.magic != wire::kChunkMagic || std::max(header.storedBytes, header.rawBytes) > wire::kMaxChunkBytes)
            return false;
        summary.events += holdsEvents(header.type) ? header.rows : 0;
        summary.closed = header.type == ChunkType::End;
        const auto payload = header.type == ChunkType::Loss ? payloadOf(from, header) : std::nullopt;
        if (payload)
            summary.dropped += lostIn(*payload, header.columns);
        else if (!from.ignore(header.storedBytes) || from.gcount() != header.storedBytes)
            return false;
    }
    return from.gcount() == 0;
}

std::vector<fs::path> partsOf(const fs::path &log)
{
    std::vector<fs::path> parts;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(log, error))
        if (entry.path().extension() == ".part")
            parts.push_back(entry.path());
    std::sort(parts.begin(), parts.end());
    return parts;
}

} // namespace

LogSummary summarize(const std::string &path)
{
    LogSummary summary;
    summary.path = path;
    for (const fs::path &part : partsOf(path)) {
        std::error_code error;
        summary.bytes += fs::file_size(part, error);
        ++summary.files;
        summary.damaged |= !addFile(part, summary);
    }
    return summary;
}

std::map<std::string, int64_t> logsIn(const std::string &folder)
{
    std::map<std::string, int64_t> logs;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".rifflelog")
            continue;
        int64_t newest = std::numeric_limits<int64_t>::min();
        for (const fs::path &part : partsOf(entry.path()))
            newest = std::max<int64_t>(newest, fs::last_write_time(part, error).time_since_epoch().count());
        logs[entry.path().string()] = newest;
    }
    return logs;
}

std::vector<std::string> newLogs(const std::map<std::string, int64_t> &before,
                                 const std::map<std::string, int64_t> &after)
{
    std::vector<std::string> logs;
    for (const auto &[path, time] : after) {
        const auto old = before.find(path);
        if (old == before.end() || old->second != time)
            logs.push_back(path);
    }
    return logs;
}

} // namespace riffle::record
