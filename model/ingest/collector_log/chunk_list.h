// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <riffle/wire.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace riffle {

/// A chunk of a file. Its bounds, limits and checksum are verified.
struct LogChunk {
    wire::ChunkHeader header;
    uint64_t offset = 0; ///< position of its header in the file
};

/// The chunks of a file. A copy that is appended to shares the memory of the list from which it was made, which stays
/// as it is, so that following a file costs what is new.
class ChunkList {
public:
    size_t size() const { return m_size; }
    const LogChunk &operator[](size_t at) const
    {
        assert(at < m_size);
        return m_memory->chunks[at];
    }
    const LogChunk *begin() const { return m_memory ? m_memory->chunks.get() : nullptr; }
    const LogChunk *end() const { return begin() + m_size; }
    void append(const LogChunk &chunk);

private:
    struct Memory {
        explicit Memory(size_t most) : chunks(std::make_unique<LogChunk[]>(most)), room(most) {}
        const std::unique_ptr<LogChunk[]> chunks;
        const size_t room;
        std::atomic<size_t> used{0}; ///< by the longest of the lists that share it
    };

    std::shared_ptr<Memory> m_memory;
    size_t m_size = 0;
};

} // namespace riffle
