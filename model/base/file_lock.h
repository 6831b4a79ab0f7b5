// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace riffle {

/// A lock on a file that processes use to agree. It lasts until its last owner drops it or the process ends, however
/// that happens. Where the file system has no locks, every request succeeds.
class FileLock {
public:
    /// Creates the file if there is none, and shares the lock with other processes. Waits for nobody; null if the file
    /// cannot be opened or another process holds the lock alone.
    static std::shared_ptr<const FileLock> shared(const std::string &path);
    /// The same, but alone, and only if the file exists.
    static std::shared_ptr<const FileLock> alone(const std::string &path);
    ~FileLock();
    FileLock(const FileLock &) = delete;
    FileLock &operator=(const FileLock &) = delete;

private:
    explicit FileLock(int file) : m_file(file) {}
    static std::shared_ptr<const FileLock> taken(int file, int how);

    int m_file;
};

} // namespace riffle
