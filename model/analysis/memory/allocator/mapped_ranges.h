// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <map>
#include <vector>

namespace riffle {

/// An address range that the allocator holds on a device: a segment, or a contiguous mapped part of an expandable one.
struct MappedRange {
    uint64_t address = 0;
    uint64_t size = 0;
    int64_t stream = 0;                          ///< raw pointer, as in MemorySnapshot::streams
    uint32_t pool = 0;                           ///< row of MemorySnapshot::pools
    uint32_t segment = MemoryAllocations::kNone; ///< row of MemorySnapshot::segments that contains it at the end
    bool expandable = false;

    uint64_t end() const { return address + size; }
    bool operator==(const MappedRange &) const = default;
};

/// Disjoint ranges in order of address. Adjacent expandable ranges of the same stream and pool are merged.
class MappedRanges {
public:
    using Map = std::map<uint64_t, MappedRange>;

    bool overlaps(const MappedRange &range) const;
    /// Inserts the range. Returns false and does nothing if any of its addresses is already taken.
    bool insert(const MappedRange &range);
    /// Removes these addresses. Parts of stored ranges on either side of them stay. Returns true if all of the
    /// addresses were present.
    bool remove(const MappedRange &gone);
    /// The range of which insert() would make this one a part, if none of its addresses is taken.
    MappedRange merged(const MappedRange &range) const;
    /// Stores the range as it is, in place of all that is stored at its addresses.
    void replace(const MappedRange &range);
    /// Appends the range without checking or merging it with others.
    void append(const MappedRange &range) { m_ranges.emplace_hint(m_ranges.end(), range.address, range); }
    /// The range that contains an address, or null.
    const MappedRange *at(uint64_t address) const;

    /// The stored ranges that share addresses with `range`.
    std::vector<MappedRange> sharing(const MappedRange &range) const;
    /// The parts of the stored ranges that are inside `range`.
    std::vector<MappedRange> within(const MappedRange &range) const;

    size_t size() const { return m_ranges.size(); }
    const Map &map() const { return m_ranges; }
    std::vector<MappedRange> listed() const;

private:
    Map m_ranges;
};

} // namespace riffle
