// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/column_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace riffle {

/// How much of a trace that grows is kept. What is beyond it leaves the trace, the oldest first.
struct GrowthWindow {
    uint64_t memoryBytes = uint64_t{1} << 30; ///< anonymous memory
    uint64_t diskBytes = uint64_t{32} << 30;  ///< in a file without a name, beyond the memory
    std::string folder;             ///< of that file; empty for the first writable one of those for such files
    size_t countedFrom = 256 << 10; ///< smaller blocks are not counted
};

/// Memory for the merged columns of a trace that grows: anonymous memory first, then a file without a name, whose pages
/// the system writes out and reads again as it likes. The file vanishes with its last user. Thread-safe.
class GrowthMemory {
public:
    explicit GrowthMemory(GrowthWindow window = {});

    /// Returns memory for `bytes`, with any contents; null if the window is full or the disk has no room.
    std::shared_ptr<std::byte[]> allocate(size_t bytes);
    /// True if memory was refused since the last call.
    bool wasRefused() { return m_refused.exchange(false); }
    /// All that is in use.
    uint64_t bytes() const { return m_memory.anonymousBytes() + m_file.spilledBytes(); }
    uint64_t fileBytes() const { return m_file.spilledBytes(); }

private:
    const GrowthWindow m_window;
    ColumnMemory m_memory, m_file;
    std::atomic<bool> m_refused = false;
};

} // namespace riffle
