// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace riffle {

/// Returns the whole pages between two places of a block to the system. The block stays allocated, but what it
/// contained there may be lost.
void dropPages(void *begin, void *end);

/// Allocates memory for columns under a budget: anonymous memory until `anonymousLimit` bytes are in use, then mappings
/// of an unlinked temporary file, so that the kernel can write the pages out. Owned by the code that fills the columns;
/// the blocks may outlive it. Thread-safe.
class ColumnMemory {
public:
    /// The memory that counts against the limit.
    enum class Counts : uint8_t {
        Own,     ///< what this object has allocated
        AllInUse ///< memoryInUse(), the large arrays of the whole process
    };
    /// An empty spill folder means the first writable one of $TMPDIR, /var/tmp and /tmp.
    explicit ColumnMemory(uint64_t anonymousLimit = UINT64_MAX, std::string spillFolder = {},
                          Counts counts = Counts::Own);

    /// Returns `bytes` of zeroed, 64-byte aligned memory, which is freed with its last owner; null if there is room
    /// neither in memory nor on the disk.
    std::shared_ptr<std::byte[]> allocate(size_t bytes);
    /// Like allocate(), but with arbitrary content, for callers that write every byte. Large blocks from this function
    /// return to the allocator when they are freed, and later blocks reuse their pages, which the kernel then need not
    /// clear. At most 1/24 of the memory in use waits for this.
    std::shared_ptr<std::byte[]> allocateAny(size_t bytes);
    /// Returns the memory that is kept for later blocks to the system, and keeps none from now on.
    void releaseKept();

    uint64_t anonymousBytes() const; ///< in use now
    uint64_t spilledBytes() const;   ///< in use now

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace riffle
