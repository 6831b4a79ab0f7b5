// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/flight_calls.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// A process group of a job, found in the dumps of its members.
struct JobGroup {
    std::string name, description;
    std::vector<int64_t> ranks; ///< global ranks, ascending
    /// True if dumps say which ranks the group has. Otherwise, `ranks` are those whose dumps have calls in a group of
    /// this name, which is no evidence about others.
    bool isKnown = false;
    /// True if several groups of the same ranks were told apart by their order, because their names differ.
    bool isByOrder = false;
    /// For each member, its dump (index in the list of ranks) and its group in there; -1 for what there is not.
    struct Member {
        int64_t rank = 0;
        int32_t dump = -1;
        int32_t group = -1;
    };
    std::vector<Member> members;
};

/// Finds the groups of a job. Two groups are the same if their ranks are; a name alone is no evidence, because programs
/// give one name to disjoint groups. Groups of the same ranks are told apart by name, or if their names differ between
/// ranks, by the order in which they were made. `ranks` are sorted by rank. `world` is the number of ranks of the job;
/// 0 if that is unknown.
std::vector<JobGroup> jobGroupsOf(std::span<const FlightRank> ranks, int64_t world);

} // namespace riffle
