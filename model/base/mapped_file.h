// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace riffle {

/// A file mapped read-only. The model maps files only through this class: if a page vanishes under the mapping (because
/// another program truncates the file), it is replaced by zeros and the mapping is flagged as lost, instead of SIGBUS
/// killing the process.
class MappedFile {
public:
    /// Maps the whole file. An empty file gives an empty mapping.
    static Result<std::shared_ptr<const MappedFile>> open(const std::string &path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::byte *data() const { return m_data; }
    uint64_t size() const { return m_size; }
    std::span<const std::byte> bytes() const { return {m_data, static_cast<size_t>(m_size)}; }
    const std::string &path() const { return m_path; }
    int64_t modifiedNs() const { return m_modifiedNs; } ///< modification time, Unix nanoseconds
    /// True once a page was lost under the mapping; data read since then may be zeros.
    bool lost() const;
    /// True if the file is now shorter than its mapping, even if no page was lost: the rest of the last page reads as
    /// zeros without a signal. Asks the system, so call it after an answer and not for every read.
    bool wasCut() const;
    /// Tells the kernel that the bytes will be read in order.
    void adviseSequential() const;
    /// Lets the kernel drop the pages that are entirely inside the range.
    void dropPages(uint64_t offset, uint64_t length) const;

private:
    MappedFile() = default;
    std::string m_path;
    const std::byte *m_data = nullptr;
    uint64_t m_size = 0;
    int64_t m_modifiedNs = 0;
    uint64_t m_device = 0, m_inode = 0;
    int m_slot = -1;
};

} // namespace riffle
