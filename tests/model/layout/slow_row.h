// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/squeezed_lanes.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace riffle::test {

__extension__ typedef __int128 Wide;

inline Wide floorDiv(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The columns that a slice touches, straight from the definition.
inline std::pair<int64_t, int64_t> columnsOf(Ns start, Ns duration, TimeSpan range, int width)
{
    const Wide length = range.duration();
    const auto first = static_cast<int64_t>(floorDiv(Wide(start - range.begin) * width, length));
    if (duration == 0)
        return {first, first};
    return {first, static_cast<int64_t>(-floorDiv(-(Wide(start + duration - range.begin) * width), length)) - 1};
}

/// The longest slice in every column of a row, found by drawing every slice.
struct SlowRow {
    std::vector<Ns> longest; ///< -1 if there is no slice
    SlowRow(const Trace &trace, const Lane &lane, uint32_t row, TimeSpan range, int width)
        : longest(static_cast<size_t>(width), -1)
    {
        for (const uint32_t number : lane.segments)
            add(*trace.segments[number], row, range);
    }
    /// The same for the slices that a squeezed lane shows.
    SlowRow(const SqueezedLane &lane, uint32_t row, TimeSpan range, int width) : longest(static_cast<size_t>(width), -1)
    {
        for (const Segment &segment : lane.segments)
            add(segment, row, range);
    }

private:
    void add(const Segment &segment, uint32_t row, TimeSpan range)
    {
        if (row >= segment.rows())
            return;
        const int width = static_cast<int>(longest.size());
        for (uint32_t at = segment.rowBegin[row]; at < segment.rowBegin[row + 1]; ++at) {
            const Ns start = segment.slices.start[at];
            const Ns duration = segment.slices.duration[at];
            if (start >= range.end || start + duration < range.begin ||
                (duration > 0 && start + duration == range.begin))
                continue;
            const auto [first, last] = columnsOf(start, duration, range, width);
            for (int64_t x = std::max<int64_t>(first, 0); x <= std::min<int64_t>(last, width - 1); ++x)
                longest[static_cast<size_t>(x)] = std::max(longest[static_cast<size_t>(x)], duration);
        }
    }
};

/// A random range, from far more than the whole down to a ten-millionth of it.
inline TimeSpan randomRange(std::mt19937_64 &random, TimeSpan whole)
{
    const double zoom = std::pow(10.0, -static_cast<double>(random() % 7000) / 1000);
    const Ns length = std::max<Ns>(10, static_cast<Ns>(static_cast<double>(whole.duration()) * zoom));
    const Ns begin = whole.begin - length / 2 + static_cast<Ns>(random() % static_cast<uint64_t>(whole.duration()));
    return {begin, begin + length};
}

} // namespace riffle::test
