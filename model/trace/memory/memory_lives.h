// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace riffle {

class Trace;

/// Which allocation each release that profile_memory recorded ([memory] events) belongs to, by device and address. Rows
/// are those of Trace::memory.
struct MemoryLives {
    static constexpr uint32_t kNone = UINT32_MAX;

    /// Memory from its allocation to its release. One of the two is there.
    struct Life {
        uint32_t allocated = kNone; ///< row; kNone: before the recording
        uint32_t released = kNone;  ///< row; kNone: not while it was recorded
        uint32_t first() const { return allocated != kNone ? allocated : released; }
    };

    std::vector<Life> lives; ///< in order of first(); what is reserved is none
    std::vector<uint8_t>
        reserved; ///< by row: what the allocator holds, not what the program got (Paddle's Reserved events)
    uint64_t givenOutAgain = 0;  ///< allocations at an address whose release was not recorded
    uint64_t withoutAddress = 0; ///< rows of PyTorch before 1.10: a life each

    explicit MemoryLives(const Trace &trace);
};

} // namespace riffle
