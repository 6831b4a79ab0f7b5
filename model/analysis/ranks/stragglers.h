// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/straggler_path.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace riffle {

/// Whether the others wait for one rank (docs/stragglers.md).
enum class StragglerVerdict : uint8_t {
    Nothing,   ///< nothing to compare: no step that two ranks have, or no matched call on any path
    Undecided, ///< what cannot be told is at least kUntoldShare of the steps and more than the cost, or a rank is twice
               ///< there
    Nobody,    ///< waiting is below kLeastShare of the steps
    One,       ///< one rank has at least kNamedShare of the cost
    HeldUp,    ///< the same, but the replay without it saves less than kSavedShare of its cost: something else makes it
               ///< late
    Rotates,   ///< one rank each has it in most steps, but not the same one
    Spread     ///< nobody has it
};

/// Costs and excesses below this share of the figures are not worth a name.
inline constexpr double kLeastShare = 0.02;
/// Somebody is named who has at least this share of the cost.
inline constexpr double kNamedShare = 0.8;
/// The least share of its cost that a named rank saves in the replay without it.
inline constexpr double kSavedShare = 0.25;
/// The least share of the figures for which what cannot be told leaves the answer open.
inline constexpr double kUntoldShare = 0.1;

/// The larger part of a collective.
enum class CallNature : uint8_t { Transfer, ArrivalSkew, Mixed, Inconclusive };
std::string_view callNatureName(CallNature nature);
CallNature natureOf(const CallWaits::Wait &wait);

struct StragglerReport {
    struct Rank {
        Ns own = 0, cost = 0; ///< on the paths of all steps
        uint32_t steps = 0;   ///< in which it has the largest cost, of those with any
        /// The time that the steps are shorter in the replay without it; nothing if there is no replay, or no cost.
        std::optional<Ns> saved;
    };
    std::vector<StepPath> paths; ///< by number of the step
    std::vector<Rank> ranks;
    Ns figure = 0, transfer = 0, within = 0, unmatched = 0, unexplained = 0, cost = 0; ///< of all steps together
    StragglerVerdict verdict = StragglerVerdict::Nothing;
    uint32_t culprit = 0; ///< index of the rank with the largest cost
    /// The family whose transfers take longer than those alike of other groups, and by how much on the paths.
    std::optional<uint32_t> slowFamily;
    Ns slowExcess = 0;
    uint64_t incomplete = 0;    ///< calls on the paths in which a rank of the group has no part
    Ns incompleteTransfer = 0;  ///< their transfer, which can be waiting for that rank
    std::vector<int64_t> twins; ///< recorded ranks that several lists have, ascending
    std::optional<Ns> replayed; ///< the steps in the unchanged replay; nothing if there is none
    double worstReplay = 0;     ///< the largest share by which the unchanged replay misses the figure of a step
};

/// The nanoseconds of which nothing can be said, or which can be waiting for a rank that is not there.
Ns untoldOf(const StragglerReport &report);

StragglerReport stragglersOf(const CallWaits &waits);

} // namespace riffle
