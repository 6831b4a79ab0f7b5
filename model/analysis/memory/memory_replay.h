// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/memory/memory_snapshot.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Every allocation that a device's history or final state knows, ordered by when it began; those that were there
/// before the history begins come first, by address. Events are rows of MemorySnapshot::events.
struct MemoryAllocations {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t> begin; ///< its alloc; kNone: before the history. Where an alloc is missing, the free after
                                 ///< which it must have been
    std::vector<uint32_t> freed; ///< its free_requested; kNone: not freed, or that was not recorded
    std::vector<uint32_t>
        end; ///< its free_completed; kNone: there at the end. Its begin: nothing says how long it lived
    std::vector<uint32_t> block; ///< row of MemorySnapshot::blocks when it was there at the end

    uint32_t count() const { return static_cast<uint32_t>(begin.size()); }
    uint64_t address(const MemorySnapshot &snapshot, uint32_t row) const;
    /// Bytes requested.
    int64_t size(const MemorySnapshot &snapshot, uint32_t row) const;
    /// Row of MemorySnapshot::streams, or nothing where no event is known: the segment has it.
    std::optional<uint16_t> stream(const MemorySnapshot &snapshot, uint32_t row) const;

private:
    uint32_t anyEvent(uint32_t row) const;
};

/// Bytes at one instant.
struct MemoryLevel {
    int64_t allocated = 0; ///< requested by the program and not given back
    int64_t active = 0;    ///< allocated, and given back but waiting for other streams
    int64_t reserved = 0;  ///< held by the allocator: all segments

    bool operator==(const MemoryLevel &) const = default;
};

/// What was odd in a history: how often, and the first event of it.
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
    MemoryLevel peak;   ///< the largest of each
    MemoryLevel blocks; ///< of the final state, by sizes of blocks: what requests were rounded up to
    uint32_t peakAllocatedEvent = MemoryAllocations::kNone; ///< after which allocated was largest; kNone: at the begin
    uint32_t peakActiveEvent = MemoryAllocations::kNone;
    uint32_t peakReservedEvent = MemoryAllocations::kNone;

    uint64_t freedFromBefore =
        0; ///< freed here, allocated before the history begins: the ring buffer was full, or recording began late
    uint64_t aliveFromBefore = 0;    ///< allocated before and there at the end
    MemoryTrouble doubleAllocations; ///< an address given out again before it was freed; the first one has no length
    MemoryTrouble vanished;          ///< allocated, never freed, not there at the end
    MemoryTrouble unknownFrees;      ///< freed twice, or freed and there at the end without another alloc
    MemoryTrouble impossibleSizes;   ///< negative ones: left out
    MemoryTrouble otherSizes;        ///< allocated with one size, freed or there with another: the later one counts
    uint64_t overlappingBlocks = 0;  ///< blocks of the final state at an address that another one has: left out

    /// Whether what the segments say is the state after the last event: not of a file that was cut before its history
    /// was whole. A device of which no event was read has the state that its segments say.
    bool endIsKnown(const MemorySnapshot &snapshot) const
    {
        return snapshot.whole || snapshot.stateOnly || events == 0;
    }

    /// The level after an event, one of this device's. At most kStride events are looked at.
    MemoryLevel levelAfter(const MemorySnapshot &snapshot, uint32_t event) const;

    /// The level before the first event of each stretch of kStride.
    std::vector<MemoryLevel> checkpoints;
    /// Events that change levels otherwise than they say, ascending.
    struct Correction {
        uint32_t event;
        MemoryLevel change;
    };
    std::vector<Correction> corrections;
};

struct MemoryReplay {
    std::vector<DeviceReplay> devices; ///< those with a history or a segment, ascending; the host's last
};

/// What an event that is consistent with the others does to the levels.
MemoryLevel nominalChange(MemoryAction action, int64_t size);

/// Follows the histories of all devices back from the final state, which is whole while histories may have lost their
/// begin. Where the file was cut before both were whole, what was not freed counts as there at the end, and reserved is
/// the least that it was.
MemoryReplay replayMemory(const MemorySnapshot &snapshot, Task task);

} // namespace riffle
