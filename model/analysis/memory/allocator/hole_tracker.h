// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"

#include <map>
#include <utility>
#include <vector>

namespace riffle {

/// The figures of an allocator, event by event forward: each event touches the block before, its own and the hole
/// behind it, so that a history costs its events times the logarithm of what is alive. Blocks are sized as AllocatorMap
/// does it. Of damaged files, where blocks lie over each other, holes count from the end of the block that began last.
class HoleTracker {
public:
    /// Begins before the history. `map` must live as long as this does.
    explicit HoleTracker(const AllocatorMap &map);

    /// The device's events one after another. False: the history is so odd that it would take too long, and ends here.
    bool take(uint32_t event);
    AllocatorFigures figures() const;

    struct Level {
        uint64_t allocated = 0, active = 0, reserved = 0;
    };
    /// By stream, by pool.
    const std::map<int64_t, Level> &streams() const { return m_streams; }
    const std::map<uint32_t, Level> &pools() const { return m_pools; }

private:
    using Key = std::pair<uint64_t, bool>;       ///< a range's begin stands before a block at its address
    using Items = std::map<Key, AllocatorPiece>; ///< a begin has no size

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
    std::map<uint64_t, uint32_t> m_holes; ///< by size: how many
    std::vector<uint32_t> m_rowOf;        ///< by event: the allocation that it frees
    uint32_t m_nextRow = 0;               ///< the first that has not begun
    uint64_t m_walked = 0;                ///< items looked at because ranges changed
    AllocatorFigures m_figures;
    __extension__ typedef unsigned __int128 Square;
    Square m_squares = 0; ///< exact, whatever comes and goes
    std::map<int64_t, Level> m_streams;
    std::map<uint32_t, Level> m_pools;
};

} // namespace riffle
