// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/chunk_columns.h"
#include "model/ingest/collector_log/log_address.h"
#include "model/ingest/collector_log/log_part.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/import_report.h"

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The files of one session of a collector's log, in order, with consecutive numbers for their sound chunks. Immutable.
class CollectorLog {
public:
    /// At most this many files of a log are opened, the newest ones. More could, together with other files, exceed the
    /// system's limit on mappings.
    static constexpr size_t kMaxParts = 3500;

    struct Chunk {
        const LogChunk *where = nullptr;
        uint32_t part = 0;
        wire::ChunkType type() const { return where->header.type; }
    };

    /// True if the path is a folder with files of a log, or one of these files. The content decides.
    static bool isLog(const SniffedFile &file);
    /// `path` is the folder, or a file of the log, which stands for all files of its session in the same folder.
    static Result<std::shared_ptr<const CollectorLog>> open(const std::string &path);

    const std::vector<LogPart> &parts() const { return m_parts; }
    const std::vector<Chunk> &chunks() const { return m_chunks; }
    /// The chunks of a part have the numbers from firstChunk(part) up to, but not including, firstChunk(part + 1).
    size_t firstChunk(size_t part) const
    {
        assert(part < m_firstChunk.size());
        return m_firstChunk[part];
    }
    /// The address of a chunk's first row; see LogAddress.
    uint64_t address(size_t chunk) const
    {
        const uint32_t part = m_chunks[chunk].part;
        return LogAddress{m_parts[part].header().sequence, static_cast<uint32_t>(chunk - m_firstChunk[part])}.bits();
    }
    /// An address that is greater than those of all rows.
    uint64_t endAddress() const;
    /// Returns the number of the chunk that an address is in; nothing if the log does not have it.
    std::optional<size_t> chunkAt(uint64_t address) const;
    /// Returns the byte at which the chunk of an address starts, counted over all files as if they were one.
    uint64_t fileOffset(uint64_t address) const;

    /// The problems found in the files.
    const ImportReport &report() const { return m_report; }
    uint64_t fileBytes() const;
    uint64_t rawBytes() const; ///< size of all chunks, decompressed
    bool compressed() const;
    bool closed() const; ///< true if the last file contains an End chunk
    /// True if a file was truncated while it was being read: the data may contain zeros.
    bool lost() const;
    bool wasCut() const; ///< see MappedFile::wasCut()

private:
    void keepSession(std::vector<LogPart> found, size_t wanted);
    void numberChunks();
    void reportDamage();

    std::vector<LogPart> m_parts;
    std::vector<Chunk> m_chunks;
    std::vector<size_t> m_firstChunk;
    ImportReport m_report;
};

/// Reads chunks of a log one after another into its own memory. One per thread.
class ChunkReader {
public:
    ChunkReader();
    ~ChunkReader();
    ChunkReader(const ChunkReader &) = delete;
    ChunkReader &operator=(const ChunkReader &) = delete;

    /// Returns false and has no columns if the chunk does not match its header.
    bool read(const CollectorLog &log, size_t chunk);
    const ChunkColumns &columns() const { return m_columns; }
    /// Hands over the payload, which contains the bytes of text columns.
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
