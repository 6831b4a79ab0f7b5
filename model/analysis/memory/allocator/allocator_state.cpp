// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/allocator_state.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace riffle {

namespace {

template <typename Key, typename Of>
std::vector<std::pair<Key, AllocatorFigures>> summed(const AllocatorState &state, Of of)
{
    std::map<Key, AllocatorFigures> sums;
    for (const AllocatorSegment &segment : state.segments)
        sums[of(segment.range)].add(segment.figures);
    return {sums.begin(), sums.end()};
}

} // namespace

double AllocatorFigures::fragmentation() const
{
    return free == 0 ? 0 : 1 - static_cast<double>(largestFree) / static_cast<double>(free);
}

double AllocatorFigures::squaredFragmentation() const
{
    const auto all = static_cast<double>(reserved);
    return reserved == 0 ? 0 : static_cast<double>(freeSquares) / (all * all);
}

void AllocatorFigures::add(const AllocatorFigures &other)
{
    reserved += other.reserved;
    allocated += other.allocated;
    pending += other.pending;
    inBlocks += other.inBlocks;
    free += other.free;
    largestFree = std::max(largestFree, other.largestFree);
    freeSquares += other.freeSquares;
    segments += other.segments;
    blocks += other.blocks;
    pendingBlocks += other.pendingBlocks;
    holes += other.holes;
    guessedBlocks += other.guessedBlocks;
}

const AllocatorPiece *AllocatorState::at(uint64_t address) const
{
    const auto next = std::upper_bound(
        segments.begin(), segments.end(), address,
        [](uint64_t wanted, const AllocatorSegment &segment) { return wanted < segment.range.address; });
    if (next == segments.begin() || address - std::prev(next)->range.address >= std::prev(next)->range.size)
        return nullptr;
    const std::span<const AllocatorPiece> all = piecesOf(*std::prev(next));
    const auto piece =
        std::upper_bound(all.begin(), all.end(), address,
                         [](uint64_t wanted, const AllocatorPiece &one) { return wanted < one.address; });
    return piece == all.begin() ? nullptr : &*std::prev(piece);
}

std::vector<std::pair<int64_t, AllocatorFigures>> figuresByStream(const AllocatorState &state)
{
    return summed<int64_t>(state, [](const MappedRange &range) { return range.stream; });
}

std::vector<std::pair<uint32_t, AllocatorFigures>> figuresByPool(const AllocatorState &state)
{
    return summed<uint32_t>(state, [](const MappedRange &range) { return range.pool; });
}

} // namespace riffle
