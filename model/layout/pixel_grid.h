// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "model/trace/trace_set.h"

#include <vector>

namespace riffle {

/// The left edges of all pixel columns of a scale in one trace's own time. Made once per picture and trace; after that
/// no slice needs a division: a guess in floating point is corrected against the edges.
class PixelGrid {
public:
    PixelGrid() = default;
    PixelGrid(const TimeScale &scale, const TimeMap &map);

    int width() const { return static_cast<int>(m_begin.size()) - 1; }
    /// Trace time from the left edge of column 0 to the right edge of the last.
    TimeSpan span() const { return {m_floor.front(), m_begin.back()}; }
    /// The column that `time` lies in, clipped: 0 for what lies before, width() for what lies behind.
    int first(Ns time) const;
    /// The last column that something ending at `end` (exclusive) reaches, clipped: -1 before, width() - 1 behind.
    int last(Ns end) const;
    /// First and last column of [start, start + duration]; a length of zero takes the column of its time.
    std::pair<int, int> columns(Ns start, Ns duration) const
    {
        const int from = first(start);
        return {from, duration > 0 ? std::max(from, last(start + duration)) : from};
    }
    /// First nanosecond that lies in a column behind `column`.
    Ns next(int column) const { return m_begin[static_cast<size_t>(column) + 1]; }

private:
    std::vector<Ns> m_begin; ///< width + 1: first whole ns at or after each left edge
    std::vector<Ns> m_floor; ///< width + 1: last whole ns at or before it
    double m_columnsPerNs = 0;
    bool m_even = true; ///< columns are equally long, so guessing works
};

} // namespace riffle
