// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/chunk_columns.h"
#include "model/ingest/collector_log/log_address.h"
#include "model/ingest/collector_log/log_part.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/import_report.h"

#include <compare>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace riffle {

/// The place of a chunk in an opened log. Places order the chunks, and belong to this log alone; see LogAddress.
struct ChunkPlace {
    uint32_t part = 0;
    uint32_t chunk = 0;
    auto operator<=>(const ChunkPlace &) const = default;
};

/// The files of one session of a collector's log, in order. Immutable; advance() returns a newer log that shares the
/// files which have not grown.
class CollectorLog {
public:
    /// At most this many files of a log are open, the newest ones. More could, together with other files, exceed the
    /// system's limit on mappings.
    static constexpr size_t kMaxParts = 3500;
    static constexpr uint64_t kMostDeleted = uint64_t{1} << 30;

    /// True if the path is a folder with files of a log, or one of these files. The content decides.
    static bool isLog(const SniffedFile &file);
    /// `path` is the folder, or a file of the log, which stands for all files of its session in the same folder.
    static Result<std::shared_ptr<const CollectorLog>> open(const std::string &path);
    /// Returns the log as its files are now, or null if they have nothing new. Reads only what was added since this log
    /// was opened. Files that were deleted meanwhile stay, and so does their space on the disk, up to `mostDeleted`
    /// bytes or as many as the files take that are there; the oldest leave first, and their events no longer have
    /// texts. What was added to a file before it was deleted is reported as missing. The next call looks again at an
    /// unfinished chunk at the end of the newest file, and at files that the system does not open now or that are being
    /// shortened. Returns an Error of kind Changed if a file no longer starts with what was read, and of another kind
    /// if the system does not open a file that has grown.
    Result<std::shared_ptr<const CollectorLog>> advance(uint64_t mostDeleted = kMostDeleted) const;

    const std::vector<std::shared_ptr<const LogPart>> &parts() const { return m_parts; }
    const LogChunk &chunk(ChunkPlace place) const { return m_parts[place.part]->chunks()[place.chunk]; }
    wire::ChunkType type(ChunkPlace place) const { return chunk(place).header.type; }
    /// The places of the chunks of a type, in order.
    std::vector<ChunkPlace> chunksOf(wire::ChunkType type) const;
    /// The address of a chunk's first row.
    uint64_t address(ChunkPlace place) const
    {
        return LogAddress{m_parts[place.part]->header().sequence, place.chunk}.bits();
    }
    /// An address that is greater than those of all rows.
    uint64_t endAddress() const;
    /// Returns the chunk that an address is in; nothing if the log does not have it.
    std::optional<ChunkPlace> chunkAt(uint64_t address) const;
    /// Returns the byte at which the chunk of an address starts, counted over all files as if they were one.
    uint64_t fileOffset(uint64_t address) const;

    /// Describes a chunk whose payload does not match its header.
    std::string mismatchAt(ChunkPlace place) const;

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
    Result<LogPart> look(const std::filesystem::path &path);
    void leaveOut(const std::filesystem::path &path, const std::string &why);
    void noteOldest(size_t count);
    void leaveOutOldest();
    void leaveOutDeleted(const std::set<std::filesystem::path> &there, uint64_t most);
    enum class IfShortened : uint8_t { Keep, LookAgain };
    void add(std::vector<LogPart> found, IfShortened shortened);
    void makeReport();

    std::filesystem::path m_folder; ///< the folder whose files are looked at; empty if the log is a single file
    std::string m_session;          ///< FileHeader::session
    std::vector<std::shared_ptr<const LogPart>> m_parts; ///< by ascending number
    std::set<std::filesystem::path> m_leftOut;           ///< names of files in the folder that are not used
    std::set<std::filesystem::path> m_cutHeaders;        ///< files with a part of a header, which may grow
    std::set<std::string> m_refused;                     ///< why the system does not open files now
    ImportReport m_notes;                                ///< about files that are not used, or missing
    ImportReport m_report;                               ///< these and the damage
};

/// Reads chunks of a log one after another into its own memory. One per thread.
class ChunkReader {
public:
    ChunkReader();
    ~ChunkReader();
    ChunkReader(const ChunkReader &) = delete;
    ChunkReader &operator=(const ChunkReader &) = delete;

    /// Returns false and has no columns if the chunk does not match its header.
    bool read(const CollectorLog &log, ChunkPlace place);
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
