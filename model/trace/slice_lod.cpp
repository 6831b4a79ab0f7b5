// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_lod.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr uint32_t kFan = SliceLod::kFan;

size_t blocksOver(size_t count) { return (count + kFan - 1) / kFan; }

/// The longest seen so far, remembered as an entry of some level.
struct Best {
    Ns duration = -1;
    uint32_t level = 0; ///< 0: the durations themselves, k: levels[k - 1]
    uint32_t index = 0;
    uint32_t firstSlice = UINT32_MAX; ///< of the entry: ties go to the earliest

    void offer(std::span<const Ns> values, uint32_t from, uint32_t to, uint32_t atLevel)
    {
        for (uint32_t at = from; at < to; ++at) {
            const uint32_t first = at << (4 * atLevel);
            if (values[at] > duration || (values[at] == duration && first < firstSlice)) {
                duration = values[at];
                level = atLevel;
                index = at;
                firstSlice = first;
            }
        }
    }
};

} // namespace

uint32_t SliceLod::longest(std::span<const Ns> durations, uint32_t first, uint32_t last) const
{
    Best best;
    uint32_t level = 0;
    std::span<const Ns> values = durations;
    // Climb: the ragged ends are read at this level, the whole blocks between them one level up.
    while (last - first > 2 * kFan && level < levels.size()) {
        const uint32_t alignedFirst = (first + kFan - 1) / kFan * kFan;
        const uint32_t alignedLast = last / kFan * kFan;
        best.offer(values, first, alignedFirst, level);
        best.offer(values, alignedLast, last, level);
        first = alignedFirst / kFan;
        last = alignedLast / kFan;
        values = levels[level].span();
        ++level;
    }
    best.offer(values, first, last, level);
    // Descend to the slice that gave the winning block its value.
    while (best.level > 0) {
        const std::span<const Ns> below = best.level == 1 ? durations : levels[best.level - 2].span();
        uint32_t at = best.index * kFan;
        while (below[at] != best.duration)
            ++at;
        best.index = at;
        --best.level;
    }
    return best.index;
}

size_t lodEntryCount(size_t count)
{
    size_t entries = 0;
    while (count > kFan) {
        count = blocksOver(count);
        entries += count;
    }
    return entries;
}

void buildLod(std::span<const Ns> durations, std::span<Ns> out)
{
    std::span<const Ns> below = durations;
    while (below.size() > kFan) {
        const size_t count = blocksOver(below.size());
        for (size_t block = 0; block < count; ++block) {
            const auto part = below.subspan(block * kFan, std::min<size_t>(kFan, below.size() - block * kFan));
            out[block] = *std::max_element(part.begin(), part.end());
        }
        below = out.first(count);
        out = out.subspan(count);
    }
}

SliceLod lodFromEntries(const Column<Ns> &entries, size_t count)
{
    SliceLod lod;
    size_t at = 0;
    while (count > kFan) {
        count = blocksOver(count);
        lod.levels.push_back(entries.slice(at, count));
        at += count;
    }
    return lod;
}

} // namespace riffle
