// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_lod.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr uint32_t kFan = SliceLod::kFan;

size_t blocksOver(size_t count) { return (count + kFan - 1) / kFan; }

void offer(SliceLod::Pick &best, std::span<const Ns> values, uint32_t from, uint32_t to, uint32_t level)
{
    for (uint32_t at = from; at < to; ++at) {
        const uint32_t first = at << (4 * level);
        if (values[at] > best.duration || (values[at] == best.duration && first < best.firstSlice))
            best = {values[at], level, at, first};
    }
}

} // namespace

uint32_t SliceLod::longest(std::span<const Ns> durations, uint32_t first, uint32_t last) const
{
    assert(first < last && last <= durations.size());
    Pick best = pick(durations, first, last);
    while (best.level > 0)
        descend(durations, best);
    return best.index;
}

SliceLod::Pick SliceLod::pick(std::span<const Ns> durations, uint32_t first, uint32_t last) const
{
    assert(first <= last && last <= durations.size());
    Pick best;
    uint32_t level = 0;
    std::span<const Ns> values = durations;
    // Climb: the ragged ends are read at this level, the whole blocks between them one level up.
    while (last - first > 2 * kFan && level < levels.size()) {
        const uint32_t alignedFirst = (first + kFan - 1) / kFan * kFan;
        const uint32_t alignedLast = last / kFan * kFan;
        offer(best, values, first, alignedFirst, level);
        offer(best, values, alignedLast, last, level);
        first = alignedFirst / kFan;
        last = alignedLast / kFan;
        values = levels[level].span();
        ++level;
    }
    offer(best, values, first, last, level);
    return best;
}

std::span<const Ns> SliceLod::below(std::span<const Ns> durations, const Pick &pick) const
{
    assert(pick.level > 0 && pick.level <= levels.size());
    const std::span<const Ns> values = pick.level == 1 ? durations : levels[pick.level - 2].span();
    const size_t first = std::min(size_t{pick.index} * kFan, values.size());
    return values.subspan(first, std::min<size_t>(kFan, values.size() - first));
}

void SliceLod::descend(std::span<const Ns> durations, Pick &pick) const
{
    if (pick.level == 0)
        return;
    const std::span<const Ns> values = below(durations, pick);
    const auto found = std::find(values.begin(), values.end(), pick.duration);
    // A damaged level may contain a duration that no slice of the block has; then any slice will do.
    pick.index = pick.index * kFan + (found == values.end() ? 0 : static_cast<uint32_t>(found - values.begin()));
    --pick.level;
}

bool SliceLod::prefetchBelow(std::span<const Ns> durations, const Pick &pick) const
{
    if (pick.level == 0)
        return false;
    const std::span<const Ns> values = below(durations, pick);
    __builtin_prefetch(values.data());
    __builtin_prefetch(values.data() + kFan / 2);
    return true;
}

void SliceLod::prefetch(std::span<const Ns> durations, uint32_t first, uint32_t last) const
{
    const Ns *values = durations.data();
    for (uint32_t level = 0; last > first; ++level) {
        // The ragged ends, which are read up to a block boundary: one or two cache lines of 64 bytes each.
        __builtin_prefetch(values + first);
        __builtin_prefetch(values + last - 1);
        if (last - first <= 2 * kFan || level >= levels.size())
            break;
        __builtin_prefetch(values + (first | 8));
        __builtin_prefetch(values + last / kFan * kFan);
        first = (first + kFan - 1) / kFan;
        last /= kFan;
        values = levels[level].data();
    }
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
    assert(out.size() == lodEntryCount(durations.size()));
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
    assert(entries.size() == lodEntryCount(count));
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
