// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"

#include <cstdint>

namespace riffle {

class Trace;

/// Matches each release that profile_memory recorded ([memory] events) with its allocation, by device and address. Rows
/// are those of Trace::memory.
struct MemoryLives {
    static constexpr uint32_t kNone = UINT32_MAX;

    /// Memory from its allocation to its release, at least one of which was recorded.
    struct Life {
        uint32_t allocated = kNone; ///< row; kNone if allocated before the recording
        uint32_t released = kNone;  ///< row; kNone if not released during the recording
        uint32_t first() const { return allocated != kNone ? allocated : released; }
    };

    BigVector<Life> lives; ///< in order of first(); without reserved memory
    /// Per row, 1 for memory that the allocator rather than the program takes or frees (Paddle's Reserved events).
    BigVector<uint8_t> reserved;
    uint64_t givenOutAgain = 0;  ///< allocations at an address whose previous allocation has no recorded release
    uint64_t withoutAddress = 0; ///< rows without an address (PyTorch before 1.10), each of which is a separate life

    explicit MemoryLives(const Trace &trace);
};

} // namespace riffle
