// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// The known stack of an allocation, and the kind of event that recorded it. If an allocation started before the
/// history, its place of allocation is known only if it is still there at the end and the final state has its stack.
/// Otherwise only the place that freed it may be known, which is a different place.
struct AllocationStack {
    enum class Of : uint8_t {
        Allocation,
        GivenBackFromBefore, ///< the place that freed an allocation from before the history
        GivenBackUnrecorded, ///< the place that freed an allocation whose alloc is missing in the history
    };
    uint32_t stack = 0; ///< row of MemorySnapshot::stacks; 0 if none was recorded, and then `of` is Of::Allocation
    Of of = Of::Allocation;

    bool isOfAllocation() const { return of == Of::Allocation; }
    /// The stack of the allocation; 0 if it is unknown.
    uint32_t allocated() const { return isOfAllocation() ? stack : 0; }

    /// `stack` and `of` as one number, which is less than keys(). If `of` is Of::Allocation, it equals `stack`.
    uint32_t key(const MemorySnapshot &snapshot) const
    {
        return stack + static_cast<uint32_t>(of) * snapshot.stacks.count();
    }
    static AllocationStack ofKey(const MemorySnapshot &snapshot, uint32_t key);
    static size_t keys(const MemorySnapshot &snapshot) { return size_t(3) * snapshot.stacks.count(); }

    /// The text of the row above stacks that are not of an allocation, as in "(from before the history, freed at)";
    /// empty for the stack of an allocation.
    std::string_view title() const;
    /// "from before the history, freed at PLACE"; for the stack of an allocation just PLACE.
    std::string titled(std::string_view place) const;
};

AllocationStack allocationStack(const MemorySnapshot &snapshot, const MemoryAllocations &all, uint32_t row);

} // namespace riffle
