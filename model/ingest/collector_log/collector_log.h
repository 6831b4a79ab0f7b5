// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/chunk_columns.h"
#include "model/ingest/collector_log/log_part.h"
#include "model/trace/import_report.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// The files of one session of a collector's log, in their order, with their sound chunks numbered through. Never
/// changes.
class CollectorLog {
public:
    /// Where a chunk's rows begin among the addresses of all rows: the number of the chunk in front, the place in the
    /// text that its rows have as JSON behind.
    static constexpr unsigned kTextBits = 40;
    static constexpr size_t kMaxChunks = size_t{1} << (63 - kTextBits);
    /// How many files of a log are opened at most, the newest: more do not fit beside others under the limit of
    /// mappings.
    static constexpr size_t kMaxParts = 3500;

    struct Chunk {
        const LogChunk *where = nullptr;
        uint32_t part = 0;
        wire::ChunkType type() const { return where->header.type; }
    };

    /// Whether the path is a folder with files of a log, or one of these files. Decided by content.
    static bool isLog(const std::string &path);
    /// `path`: the folder, or a file of the log, which stands for all files of its session beside it.
    static Result<std::shared_ptr<const CollectorLog>> open(const std::string &path);

    const std::vector<LogPart> &parts() const { return m_parts; }
    const std::vector<Chunk> &chunks() const { return m_chunks; }
    /// Numbers of the chunks of a part: from firstChunk(part) to firstChunk(part + 1).
    size_t firstChunk(size_t part) const { return m_firstChunk[part]; }
    static uint64_t address(size_t chunk) { return uint64_t{chunk} << kTextBits; }
    /// The byte at which the chunk of an address begins, counted over all files as if they were one.
    uint64_t fileOffset(uint64_t address) const;

    /// What was found wrong with the files.
    const ImportReport &report() const { return m_report; }
    uint64_t fileBytes() const;
    uint64_t rawBytes() const; ///< of all chunks, decompressed
    bool compressed() const;
    bool closed() const; ///< whether the log's end is there
    /// Whether a file was cut while it was read: what came of it may be zeros.
    bool lost() const;

private:
    void keepSession(std::vector<LogPart> found, size_t wanted);
    void numberChunks();
    void reportDamage();

    std::vector<LogPart> m_parts;
    std::vector<Chunk> m_chunks;
    std::vector<size_t> m_firstChunk;
    ImportReport m_report;
};

/// Reads chunks of a log one after another into memory of its own. One per thread.
class ChunkReader {
public:
    ChunkReader();
    ~ChunkReader();
    ChunkReader(const ChunkReader &) = delete;
    ChunkReader &operator=(const ChunkReader &) = delete;

    /// False when the chunk is not what its header says.
    bool read(const CollectorLog &log, size_t chunk);
    const ChunkColumns &columns() const { return m_columns; }
    /// The payload that the columns of texts lie in; it may be taken.
    std::string takePayload() { return std::move(m_payload); }
    const std::string &payload() const { return m_payload; }

private:
    bool inflate(const wire::ChunkHeader &header, std::string_view stored);

    struct Context;
    std::unique_ptr<Context> m_context;
    std::string m_payload;
    ChunkColumns m_columns;
};

} // namespace riffle
