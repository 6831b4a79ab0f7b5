// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/rank_list.h"
#include "model/base/task.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// A process group of a job, found in the dumps of its members.
struct JobGroup {
    std::string name, description;
    RankList ranks;       ///< global ranks
    RankList withoutDump; ///< those of them without a dump
    /// True if dumps say which ranks the group has. Otherwise, `ranks` are those whose dumps have calls in a group of
    /// this name, which is no evidence about others.
    bool isKnown = false;
    /// True if several groups of the same ranks were told apart by their order, because neither names nor descriptions
    /// do. Another order on one rank would pair them wrongly.
    bool isByOrder = false;
    /// A rank with a dump (index in the list of ranks), and its group in there; -1 if that has no calls.
    struct Member {
        int64_t rank = 0;
        int32_t dump = -1;
        int32_t group = -1;
    };
    std::vector<Member> members; ///< the ranks with a dump, ascending

    /// The member of this rank; null if it has no dump or is not in the group.
    const Member *member(int64_t rank) const;
};

/// Finds the groups of a job that have calls. Two groups are the same if their ranks are; a name alone is no evidence,
/// because programs give one name to disjoint groups. Groups of the same ranks are told apart by name; if their names
/// differ between ranks, by description; and if that is no help, by the order in which they were made, counting also
/// those without calls. `ranks` are sorted by rank. `world` is the number of ranks of the job; 0 if that is unknown.
std::vector<JobGroup> jobGroupsOf(std::span<const FlightRank> ranks, int64_t world, const Task &task);

} // namespace riffle
