// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"
#include "model/trace/memory/memory_snapshot.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The allocations in a device's history or final state, in order of start. Allocations from before the history
/// come first, in order of address. Events are rows of MemorySnapshot::events.
struct MemoryAllocations {
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<uint32_t> begin; ///< its alloc event; kNone if it is from before the history. If the alloc is missing,
                               ///< an earlier free event at its address, which the alloc must have followed
    BigVector<uint32_t> freed; ///< its free_requested event; kNone if it was not freed or that was not recorded. Equal
                               ///< to `end` if the device's history records no requests
    BigVector<uint32_t> end;   ///< its free_completed event; kNone if it is there at the end. Equal to `begin` if its
                               ///< lifetime is unknown
    BigVector<uint32_t> block; ///< row of MemorySnapshot::blocks if it is there at the end

    uint32_t count() const { return static_cast<uint32_t>(begin.size()); }
    uint64_t address(const MemorySnapshot &snapshot, uint32_t row) const;
    /// The requested size in bytes.
    int64_t size(const MemorySnapshot &snapshot, uint32_t row) const;
    /// A row of MemorySnapshot::streams. Empty if no event of the allocation is known; then only its segment records
    /// the stream.
    std::optional<uint16_t> stream(const MemorySnapshot &snapshot, uint32_t row) const;

private:
    uint32_t anyEvent(uint32_t row) const;
};

/// Bytes at one instant.
struct MemoryLevel {
    int64_t allocated = 0; ///< requested by the program and not freed
    int64_t active = 0;    ///< allocated, plus freed but still waiting for other streams
    int64_t reserved = 0;  ///< held by the allocator: the sum of all segments

    bool operator==(const MemoryLevel &) const = default;
};

/// A kind of problem in a history: how often it occurs, and the first event with it.
struct MemoryTrouble {
    uint64_t count = 0;
    uint32_t firstEvent = MemoryAllocations::kNone;
};

/// The history of one device, followed back from its final state.
struct DeviceReplay {
    static constexpr uint32_t kStride = 1024;

    int32_t device = 0;
    bool host = false;
    uint32_t firstEvent = 0;
    uint32_t events = 0;
    MemoryAllocations allocations;
    MemoryLevel atBegin, atEnd;
    MemoryLevel peak;   ///< the maximum of each level
    MemoryLevel blocks; ///< the final state, counted in block sizes, which are the requested sizes rounded up
    uint32_t peakAllocatedEvent = MemoryAllocations::kNone; ///< the event that first reached the peak; kNone if
                                                            ///< the peak is the level at the start
    uint32_t peakActiveEvent = MemoryAllocations::kNone;
    uint32_t peakReservedEvent = MemoryAllocations::kNone;

    uint64_t freedFromBefore = 0;    ///< allocations from before the history that were freed in it, because the ring
                                     ///< buffer was full or recording started late
    uint64_t aliveFromBefore = 0;    ///< allocations from before the history that are there at the end
    MemoryTrouble doubleAllocations; ///< an address reused before it was freed; the first use gets no lifetime
    MemoryTrouble vanished;          ///< allocated and never freed, but not there at the end
    MemoryTrouble unknownFrees;      ///< freed twice, or freed but there at the end, with no alloc in between
    MemoryTrouble impossibleSizes;   ///< negative sizes; left out
    MemoryTrouble otherSizes; ///< allocated with one size, but freed or there at the end with another; the later size
                              ///< counts
    uint64_t overlappingBlocks = 0; ///< blocks of the final state at the address of another block; left out

    /// True if the segments show the state after the last event. They do not if the file is cut off before its history
    /// is complete, unless the device has no events.
    bool endIsKnown(const MemorySnapshot &snapshot) const
    {
        return snapshot.whole || snapshot.stateOnly || events == 0;
    }

    /// The level after an event of this device. At most kStride events are replayed.
    MemoryLevel levelAfter(const MemorySnapshot &snapshot, uint32_t event) const;

    /// The level before the first event of each stretch of kStride events.
    std::vector<MemoryLevel> checkpoints;
    /// An event that changes the levels by something other than its nominalChange().
    struct Correction {
        uint32_t event;
        MemoryLevel change;
    };
    std::vector<Correction> corrections; ///< in order of event
};

struct MemoryReplay {
    std::vector<DeviceReplay> devices; ///< the devices with a history or a segment, in order of number; the host last
};

/// The change that an event makes to the levels if it is consistent with the other events.
MemoryLevel nominalChange(MemoryAction action, int64_t size);

/// Follows the histories of all devices back from the final state, which is complete, whereas histories may have lost
/// their start. If the file is cut off before both are complete, memory that was not freed counts as there at the end,
/// and the smallest possible amount counts as reserved.
MemoryReplay replayMemory(const MemorySnapshot &snapshot, Task task);

} // namespace riffle
