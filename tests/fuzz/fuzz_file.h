// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace riffle::test {

/// The fuzzer's input as a file in memory, with a path.
class FuzzFile {
public:
    FuzzFile(const uint8_t *data, size_t size) : m_file(memfd_create("input", MFD_CLOEXEC))
    {
        while (size > 0) {
            const ssize_t written = ::write(m_file, data, size);
            if (written <= 0)
                break;
            data += written;
            size -= static_cast<size_t>(written);
        }
    }
    ~FuzzFile() { ::close(m_file); }
    FuzzFile(const FuzzFile &) = delete;
    FuzzFile &operator=(const FuzzFile &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

} // namespace riffle::test
