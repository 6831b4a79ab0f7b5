// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/part_file.h"

#include "collector/src/clock.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

template <typename T>
std::string_view bytesOf(const T &value)
{
    return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

} // namespace

int PartFile::create(const std::string &path, const SessionId &session, uint32_t sequence)
{
    close();
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        return errno;
    m_file.take(file);
    m_bytes = 0;
    wire::FileHeader header{};
    std::memcpy(header.magic, wire::kMagic, sizeof(header.magic));
    header.version = wire::kVersion;
    header.headerBytes = sizeof(header);
    std::copy(session.begin(), session.end(), header.session);
    header.sequence = sequence;
    header.pid = static_cast<uint32_t>(getpid());
    header.monotonicNs = now();
    header.checksum = XXH3_64bits(&header, sizeof(header));
    return writeAll(bytesOf(header), {});
}

bool PartFile::isDeleted()
{
    struct stat is {};
    const int file = m_file.get();
    return file >= 0 && fstat(file, &is) == 0 && is.st_nlink == 0;
}

int PartFile::append(wire::ChunkHeader header, std::string_view stored)
{
    assert(stored.size() <= UINT32_MAX);
    header.magic = wire::kChunkMagic;
    header.storedBytes = static_cast<uint32_t>(stored.size());
    header.checksum = 0;
    header.checksum = XXH3_64bits_withSeed(&header, sizeof(header), XXH3_64bits(stored.data(), stored.size()));
    return writeAll(bytesOf(header), stored);
}

int PartFile::writeAll(std::string_view first, std::string_view second)
{
    const uint64_t before = m_bytes;
    const int file = m_file.get();
    if (file < 0)
        return EBADF; // the program has closed it
    iovec parts[2] = {{const_cast<char *>(first.data()), first.size()},
                      {const_cast<char *>(second.data()), second.size()}};
    iovec *at = parts;
    while (at != parts + 2) {
        if (at->iov_len == 0) {
            ++at;
            continue;
        }
        const ssize_t written = writev(file, at, static_cast<int>(parts + 2 - at));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            const int error = written < 0 ? errno : ENOSPC;
            if (ftruncate(file, static_cast<off_t>(before)) == 0)
                lseek(file, static_cast<off_t>(before), SEEK_SET);
            m_bytes = before;
            return error;
        }
        size_t left = static_cast<size_t>(written);
        m_bytes += left;
        for (; at != parts + 2 && left >= at->iov_len; ++at)
            left -= at->iov_len;
        if (at != parts + 2) {
            at->iov_base = static_cast<char *>(at->iov_base) + left;
            at->iov_len -= left;
        }
    }
    return 0;
}

} // namespace riffle::collector
