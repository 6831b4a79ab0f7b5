// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

namespace riffle {

/// Maps a range of set time to pixel columns 0 … width - 1. Column x is the real interval [x, x+1) * duration / width;
/// the column of a nanosecond is computed in integers, so no zoom level loses or moves a nanosecond.
class TimeScale {
public:
    TimeScale() = default;
    TimeScale(TimeSpan range, int width);

    TimeSpan range() const { return m_range; }
    int width() const { return m_width; }
    bool operator==(const TimeScale &) const = default;

    /// Returns the position in pixels, for lines and edges that need not be exact.
    double x(Ns time) const;
    /// Returns the column of a nanosecond; may be outside [0, width).
    int64_t column(Ns time) const;
    /// Returns the nanosecond at a position, rounded down.
    Ns timeAt(double x) const;
    /// Returns the first whole nanosecond at or after the left edge of a column.
    Ns columnBegin(int64_t column) const;
    /// Returns the last whole nanosecond at or before the left edge of a column.
    Ns columnFloor(int64_t column) const;

private:
    TimeSpan m_range{0, 1};
    int m_width = 1;
};

/// The length of the narrowest range that can be shown, in ns.
inline constexpr Ns kNarrowestRange = 10;

/// Returns a range `factor` times as long as `range`, in which `anchor` is at the same place on the screen.
TimeSpan zoomed(TimeSpan range, Ns anchor, double factor);
/// Returns `range` moved by a share of its own length.
TimeSpan shifted(TimeSpan range, double share);
/// Returns `span` with free space of `share` of its length on both sides.
TimeSpan padded(TimeSpan span, double share);
/// Returns `range` moved, and shortened only if necessary, to be within `bounds`; at least kNarrowestRange long.
TimeSpan confined(TimeSpan range, TimeSpan bounds);

/// Returns the distance between ruler ticks: 1, 2 or 5 times a power of ten, and at least `leastPixels` pixels.
Ns tickStep(const TimeScale &scale, double leastPixels);

} // namespace riffle
