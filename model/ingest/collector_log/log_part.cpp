// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_part.h"

#include "model/ingest/collector_log/log_address.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr uint32_t kMaxHeaderBytes = 4096; ///< the header of an undamaged file is not longer

/// Returns the XXH3-64 hash of the bytes, with the eight bytes at `zeroed` taken as 0.
uint64_t hashWithout(std::string_view bytes, size_t zeroed, uint64_t seed)
{
    std::string copy(bytes);
    std::memset(copy.data() + zeroed, 0, sizeof(uint64_t));
    return seed ? XXH3_64bits_withSeed(copy.data(), copy.size(), seed) : XXH3_64bits(copy.data(), copy.size());
}

uint64_t checksumOf(wire::ChunkHeader header, std::string_view stored)
{
    header.checksum = 0;
    return XXH3_64bits_withSeed(&header, sizeof header, XXH3_64bits(stored.data(), stored.size()));
}

} // namespace

bool LogPart::looksLikePart(std::string_view head)
{
    return head.starts_with(std::string_view(wire::kMagic, sizeof wire::kMagic));
}

Result<LogPart> LogPart::of(std::shared_ptr<const MappedFile> file)
{
    const std::string &path = file->path();
    LogPart part;
    part.m_file = file;
    const std::string_view bytes = part.bytes();
    if (!looksLikePart(bytes))
        return Error{"This is not a file of a collector's log.", path, std::nullopt};
    if (bytes.size() < sizeof(wire::FileHeader))
        return Error{"The file ends inside its header.", path, std::nullopt};
    std::memcpy(&part.m_header, bytes.data(), sizeof part.m_header);
    const wire::FileHeader &header = part.m_header;
    if (header.headerBytes < sizeof header || header.headerBytes > kMaxHeaderBytes ||
        header.headerBytes > bytes.size() ||
        hashWithout(bytes.substr(0, header.headerBytes), offsetof(wire::FileHeader, checksum), 0) != header.checksum)
        return Error{"The header of the log file is damaged.", path, std::nullopt};
    if (header.version != wire::kVersion)
        return Error{"The log was written in version " + std::to_string(header.version) +
                         " of the format; only version " + std::to_string(wire::kVersion) + " is supported.",
                     path, std::nullopt};
    if (header.sequence > LogAddress::kMaxFile)
        return Error{"The number of the log file is too large: " + std::to_string(header.sequence) + ".", path,
                     std::nullopt};
    part.m_sound = header.headerBytes;
    return part;
}

const char *LogPart::problemAt(uint64_t offset, wire::ChunkHeader &header) const
{
    const std::string_view rest = bytes().substr(offset);
    if (m_chunks.size() == LogAddress::kMaxChunks)
        return "The file has more chunks than can be read";
    if (rest.size() < sizeof header)
        return "A chunk is cut off";
    std::memcpy(&header, rest.data(), sizeof header);
    if (header.magic != wire::kChunkMagic)
        return "No chunk starts where one should";
    if (header.rawBytes > wire::kMaxChunkBytes || header.storedBytes > wire::kMaxChunkBytes)
        return "A chunk is larger than the format allows";
    if (header.storedBytes > rest.size() - sizeof header)
        return "A chunk is cut off";
    if (checksumOf(header, rest.substr(sizeof header, header.storedBytes)) != header.checksum)
        return "The checksum of a chunk does not match";
    return nullptr;
}

void LogPart::verify()
{
    while (m_sound < size()) {
        wire::ChunkHeader header;
        if (const char *problem = problemAt(m_sound, header)) {
            m_damage = problem;
            m_endsInChunk = startsChunk(bytes().substr(m_sound));
            return;
        }
        m_chunks.append({header, m_sound});
        m_rawBytes += header.rawBytes;
        m_hasEnd |= header.type == wire::ChunkType::End;
        m_isCompressed |= (header.flags & wire::kZstd) != 0;
        m_sound += sizeof header + header.storedBytes;
    }
}

bool LogPart::isDeleted() const
{
    std::error_code failed;
    return std::filesystem::status(m_file->path(), failed).type() == std::filesystem::file_type::not_found;
}

Result<std::optional<LogPart>> LogPart::grown() const
{
    std::error_code failed;
    if (const uint64_t size = std::filesystem::file_size(m_file->path(), failed); failed || size == this->size())
        return isDeleted() || !failed ? Result<std::optional<LogPart>>(std::nullopt)
                                      : Error{"Cannot read the file's size.", m_file->path(), std::nullopt};
    const Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(m_file->path());
    if (!file)
        return isDeleted() ? Result<std::optional<LogPart>>(std::nullopt) : file.error();
    const Result<LogPart> header = of(*file);
    if (!header || header->size() < m_sound || std::memcmp(&header->m_header, &m_header, sizeof m_header) != 0)
        return Error{"The file changed while it was in use.", m_file->path(), std::nullopt, ErrorKind::Changed};
    LogPart now = *this;
    now.m_file = *file;
    now.m_damage.clear();
    now.m_endsInChunk = false;
    now.verify();
    if (now.lost()) // its writer has taken back a chunk that it could not finish
        return std::optional<LogPart>();
    return std::optional(std::move(now));
}

/// True if the bytes are the start of one chunk. If its size was damaged, more chunks follow it.
bool LogPart::startsChunk(std::string_view rest) const
{
    const auto magic = [](size_t size) {
        return std::string_view(reinterpret_cast<const char *>(&wire::kChunkMagic), size);
    };
    if (rest.substr(0, sizeof wire::kChunkMagic) != magic(std::min(rest.size(), sizeof wire::kChunkMagic)))
        return false;
    if (rest.size() < sizeof(wire::ChunkHeader))
        return true;
    wire::ChunkHeader header;
    std::memcpy(&header, rest.data(), sizeof header);
    return std::max(header.rawBytes, header.storedBytes) <= wire::kMaxChunkBytes &&
           header.storedBytes > rest.size() - sizeof header &&
           rest.find(magic(sizeof wire::kChunkMagic), sizeof header) == std::string_view::npos;
}

std::string LogPart::name() const
{
    const std::string &path = m_file->path();
    return path.substr(path.rfind('/') + 1);
}

} // namespace riffle
