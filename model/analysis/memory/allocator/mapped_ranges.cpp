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

MappedRange joined(MappedRange left, const MappedRange &right)
{
    left.size += right.size;
    if (left.segment == MemoryAllocations::kNone)
        left.segment = right.segment;
    return left;
}

} // namespace

bool MappedRanges::overlaps(const MappedRange &range) const
{
    const auto next = m_ranges.lower_bound(range.address);
    return (next != m_ranges.end() && next->first < range.end()) ||
           (next != m_ranges.begin() && std::prev(next)->second.end() > range.address);
}

MappedRange MappedRanges::merged(const MappedRange &range) const
{
    MappedRange whole = range;
    const auto next = m_ranges.lower_bound(range.address);
    if (next != m_ranges.begin() && touch(std::prev(next)->second, whole))
        whole = joined(std::prev(next)->second, whole);
    if (next != m_ranges.end() && touch(whole, next->second))
        whole = joined(whole, next->second);
    return whole;
}

bool MappedRanges::insert(const MappedRange &range)
{
    if (overlaps(range))
        return false;
    replace(merged(range));
    return true;
}

void MappedRanges::replace(const MappedRange &range)
{
    remove(range);
    m_ranges.emplace(range.address, range);
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

std::vector<MappedRange> MappedRanges::sharing(const MappedRange &range) const
{
    std::vector<MappedRange> shared;
    auto at = m_ranges.upper_bound(range.address);
    if (at != m_ranges.begin())
        --at;
    for (; at != m_ranges.end() && at->first < range.end(); ++at)
        if (at->second.end() > range.address)
            shared.push_back(at->second);
    return shared;
}

std::vector<MappedRange> MappedRanges::within(const MappedRange &range) const
{
    std::vector<MappedRange> parts = sharing(range);
    for (MappedRange &part : parts) {
        const uint64_t end = std::min(part.end(), range.end());
        part.address = std::max(part.address, range.address);
        part.size = end - part.address;
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
