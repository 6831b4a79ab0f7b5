// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <map>
#include <vector>

namespace riffle {

/// Addresses that the allocator holds of a device: a segment, or the contiguous mapped part of an expandable one.
struct MappedRange {
    uint64_t address = 0;
    uint64_t size = 0;
    int64_t stream = 0;                          ///< raw pointer
    uint32_t pool = 0;                           ///< row of MemorySnapshot::pools
    uint32_t segment = MemoryAllocations::kNone; ///< row of MemorySnapshot::segments that it is (a part of) at the end
    bool expandable = false;

    uint64_t end() const { return address + size; }
    bool operator==(const MappedRange &) const = default;
};

/// Ranges by address, none over another. Expandable ones that touch are one, of one stream and pool.
class MappedRanges {
public:
    using Map = std::map<uint64_t, MappedRange>;

    bool overlaps(const MappedRange &range) const;
    /// False, and nothing is done, where there is something at its addresses.
    bool insert(const MappedRange &range);
    /// Whether all of it was there. What is left of ranges on either side stays.
    bool remove(const MappedRange &gone);
    /// As it is, without looking at others.
    void append(const MappedRange &range) { m_ranges.emplace_hint(m_ranges.end(), range.address, range); }
    /// The range around an address, or null.
    const MappedRange *at(uint64_t address) const;

    /// The parts of ranges that lie in another.
    std::vector<MappedRange> within(const MappedRange &range) const;

    size_t size() const { return m_ranges.size(); }
    const Map &map() const { return m_ranges; }
    std::vector<MappedRange> listed() const;

private:
    void merge(Map::iterator left, Map::iterator right);

    Map m_ranges;
};

} // namespace riffle
