// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace riffle {

/// Nanoseconds on the trace's own clock (the `ts` of Chrome JSON times 1000). Add baseTimeNanoseconds for Unix time.
using Ns = int64_t;

/// Times beyond these are absurd and clamped to them, so that differences of any two times fit 64 bits.
inline constexpr Ns kEarliestTime = -(INT64_MAX / 128);
inline constexpr Ns kLatestTime = INT64_MAX - INT64_MAX / 64;

/// a + b, or the nearest that 64 bits hold.
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
    TimeSpan clipped(TimeSpan to) const
    {
        const Ns from = std::clamp(begin, to.begin, to.end);
        return {from, std::clamp(end, from, to.end)};
    }
};

} // namespace riffle
