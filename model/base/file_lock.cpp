// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace riffle {

std::shared_ptr<const FileLock> FileLock::taken(int file, int how)
{
    if (file < 0)
        return nullptr;
    std::shared_ptr<const FileLock> lock(new FileLock(file));
    return ::flock(file, how | LOCK_NB) != 0 && errno == EWOULDBLOCK ? nullptr : lock;
}

std::shared_ptr<const FileLock> FileLock::shared(const std::string &path)
{
    return taken(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), LOCK_SH);
}

std::shared_ptr<const FileLock> FileLock::alone(const std::string &path)
{
    return taken(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW), LOCK_EX);
}

FileLock::~FileLock() { ::close(m_file); }

} // namespace riffle
