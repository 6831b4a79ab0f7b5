// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/matched_calls.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// How far the clock of one rank is ahead of that of the reference of its part. Its times are those that it recorded:
/// wall-clock times if all ranks recorded the wall clock.
struct RankClock {
    static constexpr uint32_t kAlone = UINT32_MAX;
    static constexpr uint32_t kFewestCalls = 5; ///< that show how well ends agree

    uint32_t reference = kAlone; ///< the list whose clock counts; kAlone if no match says anything about this rank
    Ns offset = 0;               ///< at `at`, ns
    double drift = 0;            ///< how much more it is ahead per ns; 0 unless the calls prove a drift
    Ns at = 0;                   ///< in the middle of the calls, on the straightened clock of the rank
    /// The offset that causality allows: nobody leaves a collective before its last member came. Empty, with `low`
    /// above `high`, if the matches of the ranks with this reference contradict one another.
    Ns low = 0, high = 0;
    Ns slack = 0; ///< by which its constraints are relaxed: the resolution, and what the drift's error amounts to
    /// 95 % of the residuals against the reference; of fewer than 20 calls, all of them; never more than to the farther
    /// end of the bound. Fewer than 5 calls show nothing but the bound: then it is the way to its farther end, or
    /// kNoInt if the bound is empty. Without calls, the offset is the middle of the bound.
    Ns uncertainty = 0;
    uint32_t calls = 0; ///< calls whose ends say how far the clock is ahead
    /// Ends of these calls less the common end of each, on the clocks made equal: ns, without sign.
    Ns medianResidual = 0, p90Residual = 0, largestResidual = 0;
};

struct RankClocks {
    std::vector<RankClock> ranks; ///< by list
    /// Matches (indices) that no clocks explain together with the others. They bound nothing. If the ranks of
    /// one reference would need more than 64 of them, none is rejected, and the bounds of these ranks are empty.
    std::vector<uint32_t> rejected;
};

/// Estimates the clocks from matches that are sure or likely.
///
/// All-reduces, all-gathers, reduce-scatters, barriers and all-to-alls bound the offsets, as a system of difference
/// constraints whose tightest consequences are shortest paths. They also give the offsets, as medians of their ends;
/// all-to-alls do so only where their ends agree, because a rank leaves one when its own parts have come; if a rank has
/// nothing else, at least half of its all-to-alls must agree for any to count. Ranks that no
/// chain of matches connects have different references and cannot be compared.
RankClocks rankClocksOf(std::span<const CallList *const> lists, const MatchedCalls &matched);

} // namespace riffle
