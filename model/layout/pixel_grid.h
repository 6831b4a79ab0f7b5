// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "model/trace/trace_set.h"

#include <cassert>
#include <vector>

namespace riffle {

/// The left edges of all pixel columns of a scale, in the time of one trace. They are computed once per picture and
/// trace that is seen. After that, no slice needs a division: its column is guessed in floating point and corrected
/// against the edges.
class PixelGrid {
public:
    PixelGrid() = default;
    /// The edges in the time of the set.
    explicit PixelGrid(const TimeScale &scale);
    PixelGrid(const TimeScale &scale, const TimeMap &map) : PixelGrid(PixelGrid(scale), map) {}
    /// The columns of a grid in the time of the set, in the time of a trace with this map.
    PixelGrid(const PixelGrid &ofSet, const TimeMap &map);

    int width() const { return static_cast<int>(m_begin.size()) - 1; }
    /// Returns the trace time from the left edge of column 0 to the right edge of the last column.
    TimeSpan span() const
    {
        assert(m_begin.size() > 1 && m_floor.size() == m_begin.size());
        return {m_floor.front(), m_begin.back()};
    }
    /// Returns the column of `time`, clipped: 0 for times before the grid, width() for times after it.
    int first(Ns time) const;
    /// Returns the last column that an interval with the exclusive end `end` reaches, clipped: -1 before the grid,
    /// width() - 1 after it.
    int last(Ns end) const;
    /// Returns the first and last column of [start, start + duration); a duration of zero takes the column of `start`.
    std::pair<int, int> columns(Ns start, Ns duration) const
    {
        const int from = first(start);
        return {from, duration > 0 ? std::max(from, last(start + duration)) : from};
    }
    /// Returns the first nanosecond after `column`.
    Ns next(int column) const
    {
        assert(column >= -1 && column < width());
        return m_begin[static_cast<size_t>(column) + 1];
    }

private:
    int guess(Ns time) const { return static_cast<int>(static_cast<double>(time - m_begin.front()) * m_columnsPerNs); }
    int lastEdgeUpTo(const std::vector<Ns> &edges, Ns time) const;
    void measure();

    std::vector<Ns> m_begin; ///< width + 1: first whole ns at or after each left edge
    std::vector<Ns> m_floor; ///< width + 1: last whole ns at or before it
    double m_columnsPerNs = 0;
    bool m_even = true; ///< a guess is never more than a few columns off
};

} // namespace riffle
