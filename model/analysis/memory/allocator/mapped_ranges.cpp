// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/mapped_ranges.h"

#include <algorithm>
#include <iterator>

namespace riffle {

namespace {

bool touch(const MappedRange &left, const MappedRange &right)
{
    return left.expandable && right.expandable && left.end() == right.address && left.stream == right.stream &&
           left.pool == right.pool;
}

} // namespace

bool MappedRanges::overlaps(const MappedRange &range) const
{
    const auto next = m_ranges.lower_bound(range.address);
    return (next != m_ranges.end() && next->first < range.end()) ||
           (next != m_ranges.begin() && std::prev(next)->second.end() > range.address);
}

/// Merges `right` into `left`.
void MappedRanges::merge(Map::iterator left, Map::iterator right)
{
    left->second.size += right->second.size;
    if (left->second.segment == MemoryAllocations::kNone)
        left->second.segment = right->second.segment;
    m_ranges.erase(right);
}

bool MappedRanges::insert(const MappedRange &range)
{
    if (overlaps(range))
        return false;
    auto at = m_ranges.emplace(range.address, range).first;
    if (at != m_ranges.begin() && touch(std::prev(at)->second, at->second)) {
        at = std::prev(at);
        merge(at, std::next(at));
    }
    if (std::next(at) != m_ranges.end() && touch(at->second, std::next(at)->second))
        merge(at, std::next(at));
    return true;
}

bool MappedRanges::remove(const MappedRange &gone)
{
    uint64_t removed = 0;
    auto at = m_ranges.upper_bound(gone.address);
    if (at != m_ranges.begin() && std::prev(at)->second.end() > gone.address)
        --at;
    while (at != m_ranges.end() && at->first < gone.end()) {
        const MappedRange range = at->second;
        const uint64_t from = std::max(range.address, gone.address), to = std::min(range.end(), gone.end());
        removed += to - from;
        at = m_ranges.erase(at);
        MappedRange left = range, right = range;
        left.size = from - range.address;
        right.address = to;
        right.size = range.end() - to;
        if (left.size)
            m_ranges.emplace(left.address, left);
        if (right.size)
            at = std::next(m_ranges.emplace(right.address, right).first);
    }
    return removed == gone.size;
}

const MappedRange *MappedRanges::at(uint64_t address) const
{
    const auto next = m_ranges.upper_bound(address);
    if (next == m_ranges.begin() || std::prev(next)->second.end() <= address)
        return nullptr;
    return &std::prev(next)->second;
}

std::vector<MappedRange> MappedRanges::within(const MappedRange &range) const
{
    std::vector<MappedRange> parts;
    auto at = m_ranges.upper_bound(range.address);
    if (at != m_ranges.begin())
        --at;
    for (; at != m_ranges.end() && at->first < range.end(); ++at) {
        MappedRange part = at->second;
        part.address = std::max(part.address, range.address);
        const uint64_t end = std::min(at->second.end(), range.end());
        if (end > part.address) {
            part.size = end - part.address;
            parts.push_back(part);
        }
    }
    return parts;
}

std::vector<MappedRange> MappedRanges::listed() const
{
    std::vector<MappedRange> all;
    all.reserve(m_ranges.size());
    for (const auto &[address, range] : m_ranges)
        all.push_back(range);
    return all;
}

} // namespace riffle
