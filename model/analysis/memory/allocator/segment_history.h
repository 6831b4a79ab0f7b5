// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/mapped_ranges.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// Problems with segments and their events.
struct SegmentTroubles {
    MemoryTrouble unknownAllocs;      ///< allocated or mapped, but a part was neither freed nor there at the end
    MemoryTrouble overlappingFrees;   ///< freed or unmapped, but still there at the end or until a later free, with no
                                      ///< alloc in between; left out
    MemoryTrouble impossibleSizes;    ///< negative sizes, or ranges that reach beyond the last address; left out
    uint64_t overlappingSegments = 0; ///< segments of the final state that overlap others; left out
    uint64_t emptySegments = 0; ///< segments of the final state that are empty or reach beyond the last address; left
                                ///< out
};

/// The ranges of a device after any event, reconstructed backwards from the final state: undoing an alloc or a map
/// removes a range, undoing a free or an unmap adds one. Adjacent mapped ranges of the same stream and pool are one
/// range; unmapping the middle of it leaves two.
///
/// Copies of the ranges are kept 4,096 segment events apart, or further apart if there are more ranges than that. There
/// are never fewer events between two copies than ranges in a copy, which limits the copies to 40 bytes per segment
/// event; the number of each event takes 4 bytes more, and an event that wholes() knows takes 48. The state at an
/// instant is found by going back from the next kept copy.
class SegmentHistory {
public:
    SegmentHistory(const MemorySnapshot &snapshot, const DeviceReplay &device, const Task &task);

    /// The ranges after an event, in order of address; `event` has the same meaning as in AliveIndex.
    std::vector<MappedRange> after(uint32_t event) const;
    const SegmentTroubles &troubles() const { return m_troubles; }
    /// True if a segment event is counted in troubles(), because it contradicts the ranges.
    bool isOdd(uint32_t event) const;
    /// The ranges that an alloc or a map leaves at its addresses, if they are not its own range merged with those
    /// beside it: the final state has it in another pool, for example, because old versions of PyTorch do not record
    /// the pools of events. Otherwise empty.
    std::vector<MappedRange> wholes(uint32_t event) const;
    /// The device's events that allocate, free, map or unmap, ascending.
    const std::vector<uint32_t> &events() const { return m_events; }

    /// Reads the range of an event that allocates, frees, maps or unmaps. Returns false if its size is impossible.
    bool rangeOf(uint32_t event, MappedRange &range) const;

private:
    static constexpr size_t kStride = 4096;
    struct Kept {
        size_t undone; ///< the number of m_events up to this state; all later ones are undone
        std::vector<MappedRange> ranges;
    };

    void takeFinalState(MappedRanges &ranges, const DeviceReplay &device);
    void takeHistory(MappedRanges &ranges) const;
    void undoFirstTime(MappedRanges &ranges, uint32_t event);
    bool undo(MappedRanges &ranges, uint32_t event, SegmentTroubles &troubles) const;

    const MemorySnapshot &m_snapshot;
    std::vector<uint32_t> m_events;
    std::vector<uint32_t> m_odd;                            ///< events that contradict the ranges, latest first
    std::vector<std::pair<uint32_t, MappedRange>> m_wholes; ///< of wholes(), with their event, latest first
    std::vector<Kept> m_kept;                               ///< latest first
    SegmentTroubles m_troubles;
};

} // namespace riffle
