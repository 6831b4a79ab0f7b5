// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/call_families.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// A call of one of several ranks.
struct CallRef {
    uint32_t rank = 0; ///< index into the lists
    uint32_t call = 0; ///< row of its table
    auto operator<=>(const CallRef &) const = default;
};

/// Why calls of several ranks are taken for the same one.
enum class MatchBasis : uint8_t {
    Sequence, ///< equal sequence numbers in one group
    Time,     ///< they ran at the same time, under the one offset of the clocks that explains the calls
    Order     ///< their order alone, because no times on the device were recorded
};

enum class MatchConfidence : uint8_t {
    Sure,     ///< the group is certain and the sequence number occurs once on each rank
    Likely,   ///< no other match explains nearly as many calls
    Ambiguous ///< others explain the calls nearly as well, or the calls differ in kind, type or size, are more
              ///< than the group has ranks, or two of them are of one recorded rank
};

enum class UnmatchedReason : uint8_t {
    OneRank,       ///< only one rank has calls of the group
    OutsideOthers, ///< before the first or behind the last call of the other ranks
    NotFound,      ///< no other rank has a call there
    NoTimes,       ///< the device's times are not recorded, and the order differs between ranks
    UnknownPeers,  ///< a point-to-point operation without sender or receiver
    NoOffset       ///< nothing says how the clocks of the ranks differ
};

/// The calls that several ranks made together.
struct MatchedCalls {
    struct Match {
        uint32_t family = 0;
        MatchBasis basis = MatchBasis::Time;
        MatchConfidence confidence = MatchConfidence::Ambiguous;
        uint32_t first = 0, last = 0; ///< its calls in `members`, by ascending rank; at least two
    };
    struct Unmatched {
        CallRef call;
        uint32_t family = 0;
        UnmatchedReason reason = UnmatchedReason::NotFound;
        auto operator<=>(const Unmatched &) const = default;
    };
    std::vector<CallFamily> families;
    std::vector<Match> matches; ///< by family, then in the order in which the ranks made them
    std::vector<CallRef> members;
    std::vector<Unmatched> unmatched; ///< by rank, then by call. Each call is in one match or here.

    std::span<const CallRef> of(const Match &match) const
    {
        return {members.data() + match.first, members.data() + match.last};
    }
};

/// Matches the calls of several ranks, of which `lists` has one each.
///
/// Calls match only within a family (call_families.h). There, equal sequence numbers match if each rank has the number
/// once, or once per place in a coalesced launch; sends and receives have none that both ranks share. All others,
/// replays of graphs among them, are aligned by their times with those of the rank that has most of them
/// (pair_alignment.h). Sizes and types of messages are keys where they are the same on all ranks; names are not.
MatchedCalls matchCalls(std::span<const CallList *const> lists);

const char *matchBasisName(MatchBasis basis);
const char *matchConfidenceName(MatchConfidence confidence);
const char *unmatchedReasonName(UnmatchedReason reason);
const char *groupBasisName(GroupBasis basis);

} // namespace riffle
