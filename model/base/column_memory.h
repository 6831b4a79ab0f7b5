// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace riffle {

/// Memory for columns under a budget: anonymous until `anonymousLimit` bytes are in use, beyond it a mapping of an
/// unlinked temporary file, so that the kernel can write the pages out. Owned by whoever fills columns; the blocks
/// outlive it. Usable from any thread.
class ColumnMemory {
public:
    /// An empty spill folder means $TMPDIR, /var/tmp or /tmp, whichever can be written to first.
    explicit ColumnMemory(uint64_t anonymousLimit = UINT64_MAX, std::string spillFolder = {});

    /// `bytes` of zeroed memory, 64-byte aligned, freed with the last owner; null when neither memory nor disk has
    /// room.
    std::shared_ptr<std::byte[]> allocate(size_t bytes);
    /// The same with any content, for whoever writes every byte. Large blocks allocated this way go back to this
    /// allocator and become part of later ones: pages that the process has need not be cleared again.
    std::shared_ptr<std::byte[]> allocateAny(size_t bytes);
    /// Gives what was kept for later blocks back to the system and keeps nothing from now on.
    void releaseKept();

    uint64_t anonymousBytes() const; ///< in use now
    uint64_t spilledBytes() const;   ///< in use now

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace riffle
