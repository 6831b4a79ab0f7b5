// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/output_file.h"

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace riffle {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBuffer = 1 << 20;
constexpr int kDeepestInput = 3; ///< the most levels of folders between an input folder and a file that is read

bool isSameFile(const fs::path &one, const fs::path &other)
{
    std::error_code ignored;
    return fs::equivalent(one, other, ignored);
}

/// True if a file in the folder, or deeper, is this one.
bool holdsFile(const fs::path &folder, const fs::path &file)
{
    std::error_code failed;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(folder, options, failed), end; !failed && it != end;
         it.increment(failed)) {
        if (it.depth() >= kDeepestInput)
            it.disable_recursion_pending();
        if (isSameFile(it->path(), file))
            return true;
    }
    return false;
}

} // namespace

Result<void> OutputFile::spares(const std::vector<std::string> &inputs, const std::string &path)
{
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return {};
    for (const std::string &input : inputs)
        if (isSameFile(input, path) || (fs::is_directory(input, ignored) && holdsFile(input, path)))
            return Error{"This file is being read: choose another name for the output.", path, std::nullopt};
    return {};
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string &path, const std::vector<std::string> &inputs)
{
    if (const Result<void> harmless = spares(inputs, path); !harmless)
        return harmless.error();
    std::unique_ptr<OutputFile> out(new OutputFile(path));
    struct stat status = {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return Error{S_ISDIR(status.st_mode) ? "This is a folder." : "This is not a regular file.", path, std::nullopt};
    // An unnamed file leaves nothing behind even if the process is killed; not every file system supports them.
    const size_t slash = path.rfind('/');
    const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
    out->m_file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (out->m_file >= 0)
        return out;
    out->m_file = ::open(out->temporaryName().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->m_file < 0)
        return out->error(errno);
    out->m_temporary = out->temporaryName();
    return out;
}

OutputFile::~OutputFile()
{
    if (m_file >= 0)
        ::close(m_file);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Result<void> OutputFile::write(std::string_view bytes)
{
    assert(m_file >= 0); // not after place()
    m_waiting += bytes;
    return m_waiting.size() < kBuffer ? Result<void>() : flush();
}

Result<void> OutputFile::flush()
{
    std::string_view left = m_waiting;
    while (!left.empty()) {
        const ssize_t written = ::write(m_file, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error(written < 0 ? errno : ENOSPC);
        left.remove_prefix(static_cast<size_t>(written));
    }
    m_waiting.clear();
    return {};
}

Result<void> OutputFile::place()
{
    assert(m_file >= 0); // only once
    if (const Result<void> good = flush(); !good)
        return good;
    if (m_temporary.empty()) {
        const std::string unnamed = "/proc/self/fd/" + std::to_string(m_file);
        if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporaryName().c_str(), AT_SYMLINK_FOLLOW) != 0)
            return error(errno);
        m_temporary = temporaryName();
    }
    const int closed = ::close(m_file); // some file systems report only here that they are full
    m_file = -1;
    if (closed != 0 || ::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        return error(errno);
    m_temporary.clear();
    return {};
}

std::string OutputFile::temporaryName() const { return m_path + ".part-" + std::to_string(getpid()); }

Error OutputFile::error(int code) const
{
    const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
    return {full ? std::string("There is no room left on the disk.")
                 : std::string("Cannot write the file: ") + std::strerror(code) + ".",
            m_path, std::nullopt};
}

} // namespace riffle
