// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_memory.h"

#include <array>
#include <memory>
#include <span>

namespace riffle::collector {

/// False for what cannot be the address of an object.
inline bool isAligned(PythonAddress address) { return reinterpret_cast<uint64_t>(address) % sizeof(void *) == 0; }

/// Memory of this process that other threads change and free while it is read. The system copies it, and the copy fails
/// where there is no memory any more, instead of faulting. What is read through read() is copied in blocks, which are
/// kept until forget(), so that frames that are close together cost one call.
class CopiedMemory {
public:
    /// All return false if some of the memory does not exist.
    bool read(PythonAddress from, void *to, size_t bytes);
    bool readNow(PythonAddress from, void *to, size_t bytes) const; ///< without the blocks
    /// Copies pieces of the same size to one place after the other, in as few calls as possible.
    bool readAll(std::span<const PythonAddress> from, std::byte *to, size_t bytesEach) const;
    void forget() { ++m_round; }

    template <typename T>
    bool readNow(PythonAddress from, T &value) const
    {
        return readNow(from, &value, sizeof(T));
    }

private:
    static constexpr size_t kBlockBytes = 4096, kBlocks = 32;
    struct Block {
        uint64_t number = 0, round = 0;
        std::array<std::byte, kBlockBytes> bytes;
    };
    const pid_t m_pid = getpid();
    uint64_t m_round = 1;
    std::unique_ptr<std::array<Block, kBlocks>> m_blocks = std::make_unique<std::array<Block, kBlocks>>();
};

} // namespace riffle::collector
