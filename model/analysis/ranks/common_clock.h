// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/call_list.h"
#include "model/analysis/ranks/pair_alignment.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The times of several ranks on one clock, as far as matches have shown how their clocks differ: good enough to find
/// further matches. At first, each rank is alone, and its time is that of the wall clock as it recorded it, counted
/// from the first call of the first rank; but the time of a rank whose clock is a day off counts from its own first
/// call.
class CommonClock {
public:
    explicit CommonClock(std::span<const CallList *const> lists);

    /// A time of the rank on the clock that it shares with all ranks it was joined with.
    Ns time(uint32_t rank, Ns own) const;
    /// The recorded time, straightened, that counts as 0; equal for all ranks unless a clock is a day off.
    Ns origin(uint32_t rank) const { return m_ranks[rank].origin; }
    bool areJoined(uint32_t left, uint32_t right) const { return m_part[left] == m_part[right]; }
    /// The number of ranks that share the clock of this one.
    size_t joinedWith(uint32_t rank) const;
    /// Joins two ranks. `line` says how far the left one's time() is ahead.
    void join(uint32_t left, uint32_t right, const ClockLine &line);

private:
    struct Rank {
        const CallList *list = nullptr;
        Ns origin = 0;                ///< on the wall clock if all ranks recorded it
        Ns shift = 0;                 ///< added to the straightened time
        std::vector<ClockLine> lines; ///< to be applied then, in this order
    };
    std::vector<Rank> m_ranks;
    std::vector<uint32_t> m_part; ///< per rank
};

} // namespace riffle
