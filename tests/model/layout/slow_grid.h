// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "model/trace/time_map.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <vector>

namespace riffle::test {

/// The edges of pixel columns in the time of a trace, one by one from the definition, and columns found by counting.
struct SlowGrid {
    std::vector<Ns> begin, floor;
    SlowGrid(const TimeScale &scale, const TimeMap &map)
    {
        for (int64_t x = 0; x <= scale.width(); ++x) {
            begin.push_back(map.toTrace(scale.columnBegin(x)));
            floor.push_back(map.toTrace(scale.columnFloor(x)));
        }
    }
    int width() const { return static_cast<int>(begin.size()) - 1; }
    /// The number of edges up to a time.
    static int count(const std::vector<Ns> &edges, Ns time)
    {
        return static_cast<int>(std::ranges::count_if(edges, [time](Ns edge) { return edge <= time; }));
    }
    int first(Ns time) const { return std::max(0, count(begin, time) - 1); }
    int last(Ns end) const { return std::min(width() - 1, count(floor, end - 1) - 1); }
};

/// The duration of the longest slice in every column of a row, found by drawing every slice; -1 if there is none.
inline std::vector<Ns> longestInColumns(const Trace &trace, const Lane &lane, uint32_t row, const SlowGrid &grid)
{
    std::vector<Ns> longest(static_cast<size_t>(grid.width()), -1);
    for (const uint32_t number : lane.segments) {
        const Segment &segment = *trace.segments[number];
        for (uint32_t at = 0; at < segment.size(); ++at) {
            const Ns start = segment.slices.start[at], duration = segment.slices.duration[at];
            const Ns end = start + duration;
            if (segment.rowOf(at) != row || start >= grid.begin.back() || end < grid.floor.front() ||
                (duration > 0 ? end == grid.floor.front() : start < grid.floor.front()))
                continue;
            const int first = grid.first(start);
            const int last = duration > 0 ? std::max(first, grid.last(end)) : first;
            for (int x = first; x <= last; ++x)
                longest[static_cast<size_t>(x)] = std::max(longest[static_cast<size_t>(x)], duration);
        }
    }
    return longest;
}

} // namespace riffle::test
