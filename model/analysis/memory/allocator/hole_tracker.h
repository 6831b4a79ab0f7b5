// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/base/big_vector.h"

#include <map>
#include <utility>
#include <vector>

namespace riffle {

/// Tracks the figures of an allocator forward, event by event. Each event touches only its own block, the block before
/// it and the hole after it, so a history of n events with m live blocks costs O(n log m). Blocks are sized in the same
/// way as in AllocatorMap. In damaged files with overlapping blocks, a hole starts at the end of the block that starts
/// last.
class HoleTracker {
public:
    /// Starts with the state before the history. `map` must outlive the tracker.
    explicit HoleTracker(const AllocatorMap &map);

    /// Takes the device's next event; call it for every event in order. Returns false if the history has so many
    /// problems that following it would take too long; the caller must stop then.
    bool take(uint32_t event);
    AllocatorFigures figures() const;

    struct Level {
        uint64_t allocated = 0, active = 0, reserved = 0;
    };
    /// The levels per stream and per pool.
    const std::map<int64_t, Level> &streams() const { return m_streams; }
    const std::map<uint32_t, Level> &pools() const { return m_pools; }

private:
    using Key = std::pair<uint64_t, bool>;       ///< an address; true for a block, false for the start of a
                                                 ///< range, which sorts before a block at the same address
    using Items = std::map<Key, AllocatorPiece>; ///< blocks; an empty piece marks the start of a range

    void count(Items::const_iterator item, bool in);
    void countHole(uint64_t size, bool in);
    void insert(uint32_t allocation, uint32_t event);
    void free(uint32_t allocation, uint32_t event);
    void reserve(const MappedRange &range, uint64_t size, bool in);
    void begin(const std::vector<MappedRange> &ranges);
    bool mayWalk(uint64_t items);
    bool changeRanges(uint32_t event);
    bool beginAgain(uint32_t event);

    const AllocatorMap &m_map;
    const MemorySnapshot &m_snapshot;
    const DeviceReplay &m_device;
    MappedRanges m_ranges;
    Items m_items;
    std::map<uint64_t, uint32_t> m_holes; ///< the number of holes per size
    BigVector<uint32_t> m_rowOf;          ///< per event, the allocation that it frees
    uint32_t m_nextRow = 0;               ///< the first allocation that has not started yet
    uint64_t m_walked = 0;                ///< the number of items visited because ranges changed
    AllocatorFigures m_figures;
    std::map<int64_t, Level> m_streams;
    std::map<uint32_t, Level> m_pools;
};

} // namespace riffle
