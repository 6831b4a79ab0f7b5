// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace riffle {

/// Nanoseconds on the trace's own clock (the `ts` of Chrome JSON times 1000). Adding the trace's base time gives Unix
/// time.
using Ns = int64_t;

/// Times outside these limits are absurd and are clamped to them, so that the difference of any two times fits into 64
/// bits.
inline constexpr Ns kEarliestTime = -(INT64_MAX / 128);
inline constexpr Ns kLatestTime = INT64_MAX - INT64_MAX / 64;

/// Returns a + b, or the nearest value that fits into 64 bits.
inline Ns saturatedSum(Ns a, Ns b)
{
    Ns sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

/// Half-open interval [begin, end).
struct TimeSpan {
    Ns begin = 0;
    Ns end = 0;

    bool operator==(const TimeSpan &) const = default;
    Ns duration() const { return end - begin; }
    bool empty() const { return end <= begin; }
    bool contains(Ns time) const { return begin <= time && time < end; }
    bool overlaps(TimeSpan other) const { return begin < other.end && other.begin < end; }
    /// Returns the part of the span that is inside `to`, which must not end before it starts.
    TimeSpan clipped(TimeSpan to) const
    {
        assert(to.begin <= to.end);
        const Ns from = std::clamp(begin, to.begin, to.end);
        return {from, std::clamp(end, from, to.end)};
    }
};

} // namespace riffle
