// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/base/result.h"
#include "model/ingest/collector_log/chunk_list.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// One mapped file of a collector's log and the sound part of it: everything up to the first bad chunk.
class LogPart {
public:
    /// True if the bytes start like a part.
    static bool looksLikePart(std::string_view head);
    /// Checks only the header. Returns an Error if the file is not a part or has an unsupported version.
    static Result<LogPart> of(std::shared_ptr<const MappedFile> file);
    /// Finds and verifies the chunks.
    void verify();
    /// Returns the part as its file is now; nothing if the file has the same size or was deleted. Reads and verifies
    /// only what is behind the sound bytes. Returns an Error of kind Changed if the file is shorter than these, or
    /// another one, and of another kind if the system does not open it.
    Result<std::optional<LogPart>> grown() const;
    /// True if there is no file of this name any more.
    bool isDeleted() const;

    const wire::FileHeader &header() const { return m_header; }
    const ChunkList &chunks() const { return m_chunks; }
    std::string_view stored(const LogChunk &chunk) const
    {
        return bytes().substr(chunk.offset + sizeof(wire::ChunkHeader), chunk.header.storedBytes);
    }
    std::string name() const; ///< the file's name, without folders
    uint64_t size() const { return m_file->size(); }
    /// True if pages of the mapping were lost: the file was truncated while it was being read.
    bool lost() const { return m_file->lost(); }
    bool wasCut() const { return m_file->wasCut(); }
    uint64_t soundBytes() const { return m_sound; }        ///< size of the sound part; everything after it is ignored
    const std::string &damage() const { return m_damage; } ///< why the rest is ignored; empty if nothing is
    /// True if the file ends with the start of a chunk and nothing else: its writer has not finished that chunk yet, or
    /// was killed meanwhile.
    bool endsInChunk() const { return m_endsInChunk; }
    bool hasEnd() const { return m_hasEnd; }             ///< true if it contains an End chunk
    bool isCompressed() const { return m_isCompressed; } ///< true if any chunk is
    uint64_t rawBytes() const { return m_rawBytes; }     ///< size of all chunks, decompressed

private:
    std::string_view bytes() const
    {
        return {reinterpret_cast<const char *>(m_file->data()), static_cast<size_t>(m_file->size())};
    }
    /// Reads the header of the chunk at `offset`. Returns what is wrong with the chunk; null if nothing is.
    const char *problemAt(uint64_t offset, wire::ChunkHeader &header) const;
    bool startsChunk(std::string_view rest) const;

    std::shared_ptr<const MappedFile> m_file;
    wire::FileHeader m_header{};
    ChunkList m_chunks;
    uint64_t m_sound = 0;
    std::string m_damage;
    uint64_t m_rawBytes = 0;
    bool m_endsInChunk = false, m_hasEnd = false, m_isCompressed = false;
};

} // namespace riffle
