// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store_file_writer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace riffle {

namespace {

/// A new temporary file is not locked yet, so another process could mistake it for an abandoned one. Therefore, files
/// younger than this are spared.
constexpr time_t kStaleSeconds = 60;
constexpr size_t kVectors = 64;

} // namespace

Result<std::unique_ptr<StoreFileWriter>> StoreFileWriter::create(const std::string &path, uint64_t bytes)
{
    static std::atomic<uint64_t> serial{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::string temporary =
            path + std::string(kTemporaryMark) + std::to_string(getpid()) + '-' + std::to_string(++serial);
        const int file = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        if (file < 0 && errno == EEXIST)
            continue; // left behind by a dead process that had our process id
        std::unique_ptr<StoreFileWriter> writer(new StoreFileWriter(path, file < 0 ? "" : temporary, file));
        if (file < 0)
            return writer->error(errno);
        // The result does not matter: where locks are not supported, only the file's age protects it.
        [[maybe_unused]] const int locked = flock(file, LOCK_EX | LOCK_NB);
        if (fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
            return writer->error(errno);
        return writer;
    }
    return Error{"Cannot name a temporary file for the stored copy.", path, std::nullopt};
}

StoreFileWriter::~StoreFileWriter()
{
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
    if (m_file >= 0)
        ::close(m_file);
}

bool StoreFileWriter::write(uint64_t offset, const std::vector<std::span<const std::byte>> &parts)
{
    size_t part = 0;
    size_t within = 0;
    while (part < parts.size()) {
        std::array<iovec, kVectors> vectors;
        size_t used = 0;
        for (size_t next = part; next < parts.size() && used < kVectors; ++next, ++used) {
            const auto bytes = parts[next].subspan(next == part ? within : 0);
            vectors[used] = {const_cast<std::byte *>(bytes.data()), bytes.size()};
        }
        const ssize_t written = pwritev(m_file, vectors.data(), static_cast<int>(used), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        offset += static_cast<uint64_t>(written);
        within += static_cast<size_t>(written);
        while (part < parts.size() && within >= parts[part].size())
            within -= parts[part++].size();
        if (written == 0 && part < parts.size()) {
            errno = EIO;
            return false;
        }
    }
    return true;
}

Result<void> StoreFileWriter::place()
{
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        return error(errno);
    m_temporary.clear();
    return {};
}

Error StoreFileWriter::error(int code) const
{
    const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
    return {full ? std::string("There is no room for the stored copy.")
                 : std::string("Cannot write the stored copy: ") + std::strerror(code) + ".",
            m_path, std::nullopt};
}

void StoreFileWriter::removeIfStale(const std::string &temporaryPath)
{
    const int file = ::open(temporaryPath.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return;
    struct stat status = {};
    const bool old = fstat(file, &status) == 0 && status.st_mtim.tv_sec + kStaleSeconds < std::time(nullptr);
    if (old && flock(file, LOCK_EX | LOCK_NB) == 0)
        ::unlink(temporaryPath.c_str());
    ::close(file);
}

} // namespace riffle
