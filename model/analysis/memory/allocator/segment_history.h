// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/mapped_ranges.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// What was odd in segments and their events.
struct SegmentTroubles {
    MemoryTrouble unknownAllocs; ///< allocated or mapped, neither freed nor there at the end; of a part of a range, too
    MemoryTrouble overlappingFrees; ///< freed or unmapped, and there at the end (or until another free) without having
                                    ///< been allocated again: left out
    MemoryTrouble impossibleSizes;  ///< negative, or beyond the last address: left out
    uint64_t overlappingSegments = 0; ///< of the final state at addresses of others: left out
    uint64_t emptySegments = 0;       ///< of the final state, without bytes or beyond the last address: left out
};

/// The ranges of a device after any event, followed back from the final state: what was allocated or mapped goes, what
/// was freed or unmapped comes. Mapped ranges that touch are one, of one stream and pool; where a middle part is
/// unmapped they are two.
///
/// Each 4,096 or more segment events the ranges are kept (as many events as ranges at least, so 40 bytes a segment
/// event at the most, beside 4 for its number), and an instant is found by going back from the next kept ones.
class SegmentHistory {
public:
    SegmentHistory(const MemorySnapshot &snapshot, const DeviceReplay &device, const Task &task);

    /// In order of address; `event` as in AliveIndex.
    std::vector<MappedRange> after(uint32_t event) const;
    const SegmentTroubles &troubles() const { return m_troubles; }
    /// Whether an event of segments did not do what it says, and is one of the troubles.
    bool isOdd(uint32_t event) const;
    /// The device's events that allocate, free, map or unmap, ascending.
    const std::vector<uint32_t> &events() const { return m_events; }

    /// What an event that allocates, frees, maps or unmaps says; false where its size is impossible.
    bool rangeOf(uint32_t event, MappedRange &range) const;

private:
    static constexpr size_t kStride = 4096;
    struct Kept {
        size_t undone; ///< of m_events those before this one have come
        std::vector<MappedRange> ranges;
    };

    void takeFinalState(MappedRanges &ranges, const DeviceReplay &device);
    void takeHistory(MappedRanges &ranges) const;
    bool undo(MappedRanges &ranges, uint32_t event, SegmentTroubles &troubles) const;

    const MemorySnapshot &m_snapshot;
    std::vector<uint32_t> m_events;
    std::vector<uint32_t> m_odd; ///< the last one first
    std::vector<Kept> m_kept;    ///< the last instant first
    SegmentTroubles m_troubles;
};

} // namespace riffle
