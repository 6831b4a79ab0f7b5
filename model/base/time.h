// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace riffle {

/// Nanoseconds on the trace's own clock (the `ts` of Chrome JSON times 1000). Add baseTimeNanoseconds for Unix time.
using Ns = int64_t;

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
