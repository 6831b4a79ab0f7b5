// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/call_list.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// How it is known which ranks form a process group. The name of a group alone never says it: names differ by rank.
enum class GroupBasis : uint8_t {
    CommsId,  ///< the recorded id of the communicator
    Ranks,    ///< the whole list of ranks
    CutRanks, ///< a list that was cut, and the size
    Size,     ///< the size alone
    Unknown   ///< nothing was recorded: all calls of all ranks without a group
};

/// Calls that only match one another: those of one process group, and of one sender and receiver if they are point to
/// point.
struct CallFamily {
    struct Member {
        uint32_t rank = 0;           ///< index into the lists
        std::vector<uint32_t> calls; ///< rows of its table, in their order
    };
    std::vector<Member> members; ///< by rank; at least one
    GroupBasis basis = GroupBasis::Unknown;
    /// True if the calls certainly belong to one group: no two groups can look like this.
    bool isCertain = false;
    /// True if a rank has calls of several groups here that nothing tells apart.
    bool isMixed = false;
    bool isPointToPoint = false;
    int32_t sender = -1, receiver = -1; ///< of point-to-point calls; -1 if unknown
    RankList ranks;                     ///< those of the group; empty if they are unknown
    int64_t size = kNoInt;              ///< of the group
    std::string description;            ///< as the first member recorded it, or its name there
};

/// Divides the calls of all ranks into families. `lists` has one entry for each rank. The order is by first member.
std::vector<CallFamily> callFamiliesOf(std::span<const CallList *const> lists);

} // namespace riffle
