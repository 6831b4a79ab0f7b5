// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace riffle::bench {

/// A file mapped for reading, without the guards of the product, to measure limits. Owns the mapping.
class MappedText {
public:
    explicit MappedText(const std::filesystem::path &path)
    {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status = {};
        if (file < 0)
            return;
        if (::fstat(file, &status) == 0 && status.st_size > 0) {
            m_size = static_cast<std::size_t>(status.st_size);
            m_bytes = ::mmap(nullptr, m_size, PROT_READ, MAP_PRIVATE, file, 0);
        }
        ::close(file);
    }
    ~MappedText()
    {
        if (isValid())
            ::munmap(m_bytes, m_size);
    }
    MappedText(const MappedText &) = delete;
    MappedText &operator=(const MappedText &) = delete;

    bool isValid() const { return m_bytes != MAP_FAILED; }
    std::string_view view() const { return {static_cast<const char *>(m_bytes), m_size}; }

private:
    void *m_bytes = MAP_FAILED;
    std::size_t m_size = 0;
};

/// Measures the seconds since its construction.
class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count(); }

private:
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

} // namespace riffle::bench
