// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// The stack that is known of an allocation, and what it is the stack of. Where an allocation's begin is not in the
/// history, nothing says where it was made, unless it is there at the end: then the final state may. Only where it was
/// given back is known, another place.
struct AllocationStack {
    enum class Of : uint8_t {
        Allocation,
        GivenBackFromBefore, ///< it was there before the history begins
        GivenBackUnrecorded, ///< its alloc is missing inside the history
    };
    uint32_t stack = 0; ///< row of MemorySnapshot::stacks; 0: none recorded, always of Of::Allocation
    Of of = Of::Allocation;

    bool isOfAllocation() const { return of == Of::Allocation; }
    /// Where it was allocated; 0: not known.
    uint32_t allocated() const { return isOfAllocation() ? stack : 0; }

    /// One number for both, less than keys(); stacks of allocations have their own.
    uint32_t key(const MemorySnapshot &snapshot) const
    {
        return stack + static_cast<uint32_t>(of) * snapshot.stacks.count();
    }
    static AllocationStack ofKey(const MemorySnapshot &snapshot, uint32_t key);
    static size_t keys(const MemorySnapshot &snapshot) { return size_t(3) * snapshot.stacks.count(); }

    /// "(from before the history, given back at)", the row that such stacks stand under; empty: of an allocation.
    std::string_view title() const;
    /// "from before the history, given back at PLACE"; of an allocation: PLACE.
    std::string titled(std::string_view place) const;
};

AllocationStack allocationStack(const MemorySnapshot &snapshot, const MemoryAllocations &all, uint32_t row);

} // namespace riffle
