// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <sys/stat.h>
#include <unistd.h>

namespace riffle::collector {

/// A file descriptor of the collector. Programs may close descriptors that they have not opened (os.closerange) and
/// then get the same numbers for their own files; this class neither uses nor closes those. It cannot tell one eventfd
/// from another, because they share one inode.
class OwnFile {
public:
    OwnFile() = default;
    ~OwnFile() { close(); }
    OwnFile(const OwnFile &) = delete;
    OwnFile &operator=(const OwnFile &) = delete;

    /// Takes ownership of the descriptor; -1 for none.
    void take(int file)
    {
        struct stat is {};
        if (file >= 0 && fstat(file, &is) == 0) {
            m_device = is.st_dev;
            m_node = is.st_ino;
        }
        m_file = file;
    }
    /// The descriptor; -1 if there is none or it is no longer ours.
    int get()
    {
        struct stat is {};
        const int file = m_file;
        if (file >= 0 && (fstat(file, &is) != 0 || is.st_dev != m_device || is.st_ino != m_node))
            m_file = -1;
        return m_file;
    }
    bool isOpen() const { return m_file >= 0; }
    void close()
    {
        if (const int file = get(); file >= 0)
            ::close(file);
        m_file = -1;
    }

private:
    std::atomic<int> m_file{-1};
    std::atomic<dev_t> m_device{0};
    std::atomic<ino_t> m_node{0};
};

} // namespace riffle::collector
