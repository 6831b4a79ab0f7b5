// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct archive;

namespace riffle {

/// One entry of an archive.
struct ArchiveMember {
    std::string path; ///< as the archive has it; it may contain anything, such as ".."
    enum class Kind : uint8_t { File, Folder, Other } kind = Kind::Other; ///< Other: links, devices and such
    bool isEncrypted = false;
};

/// Reads a zip or tar archive (plain, gzip or zstd) from its start to its end.
class ArchiveReader {
public:
    /// Fails for archives of other kinds, and always if Riffle was built without libarchive.
    static Result<std::unique_ptr<ArchiveReader>> open(const std::string &path);
    ~ArchiveReader();
    ArchiveReader(const ArchiveReader &) = delete;
    ArchiveReader &operator=(const ArchiveReader &) = delete;

    /// Goes to the next member; nothing at the end. An Error says why nothing behind this place can be read.
    Result<std::optional<ArchiveMember>> next();
    /// Fills `into` with the next bytes of the member and returns their number: 0 at its end. An Error is about this
    /// member; next() may still succeed.
    Result<size_t> read(std::span<char> into);
    /// True if next() must inflate what read() left of a member, which can take minutes.
    bool isInflated() const;
    uint64_t bytesRead() const; ///< the number of bytes of the archive that were consumed

private:
    ArchiveReader(std::string path, archive *from) : m_path(std::move(path)), m_archive(from) {}
    Error error() const;

    std::string m_path;
    archive *m_archive;
    std::string_view m_block; ///< bytes of the member that were inflated, but not returned yet
    uint64_t m_blockAt = 0;   ///< where they are in the member; a gap before them is zeros
    uint64_t m_position = 0;  ///< the number of bytes that were returned
    bool m_isAtEnd = false;
};

} // namespace riffle
