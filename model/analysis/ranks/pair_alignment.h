// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/tables.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// One call of one rank, as far as an alignment looks at it.
struct AlignedCall {
    static constexpr uint32_t kUnknown = UINT32_MAX;

    Ns start = 0, end = 0;
    uint32_t symbol = 0;      ///< calls with different symbols never match; symbols are small numbers
    uint32_t kind = kUnknown; ///< calls with different known kinds, types, sizes or numbers never match, either
    uint32_t type = kUnknown; ///< the data type
    int64_t bytes = kNoInt;   ///< of the message
    int64_t number = kNoInt;  ///< the sequence number
    int64_t step = kNoInt;
};

/// A clock that is ahead of another one by `offset` ns at its own time `at`, and by `slope` more per ns.
struct ClockLine {
    Ns offset = 0, at = 0;
    double slope = 0;

    Ns offsetAt(Ns own) const
    {
        return saturatedSum(offset, static_cast<Ns>(std::llround(slope * static_cast<double>(own - at))));
    }
    /// The time of the clock that is ahead when the other one shows `other`.
    Ns ahead(Ns other) const
    {
        const Ns past = saturatedSum(other, offset) - at;
        return at + past + static_cast<Ns>(std::llround(static_cast<double>(past) * (slope / (1 - slope))));
    }
};

/// The calls of two ranks that are the same ones, found by their times.
struct PairAlignment {
    struct Pair {
        uint32_t left = 0, right = 0; ///< indices of calls
        /// True if the ends agree, and no others nearly as well, or if the calls are the only ones left between
        /// neighbours that match, and ran at the same time.
        bool isFirm = false;
    };
    std::vector<Pair> pairs; ///< by left
    ClockLine line;          ///< how far the left clock is ahead
    /// True if no other offset of the clocks explains nearly as many calls.
    bool isClear = false;
};

/// Aligns the calls of two ranks, each by ascending end, whose clocks differ by an unknown offset that may drift.
///
/// The differences of ends of equal calls vote for offsets. For each of the best ones, calls are paired if each one's
/// end is the nearest to the other's and they ran at the same time. Of the offsets under which calls of equal steps
/// meet, the one wins under which the most ends agree; calls that stay alone in the time of both ranks count against
/// it. Costs O(calls), because only a sample votes.
PairAlignment aligned(std::span<const AlignedCall> left, std::span<const AlignedCall> right);
/// The same if the offset is known to `line`; small deviations are followed.
PairAlignment alignedAt(std::span<const AlignedCall> left, std::span<const AlignedCall> right, const ClockLine &line);

/// The line through moments of a clock and how far it is ahead there: through the medians of the first and of the last
/// third. There must be at least one.
struct ClockVote {
    Ns at = 0, offset = 0;
};
ClockLine lineThrough(std::vector<ClockVote> votes);

} // namespace riffle
