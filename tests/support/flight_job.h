// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/flight/flight_dump.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// A call as a rank of a made-up job records it.
struct JobCall {
    size_t group = 0;
    std::string name;                                   ///< "nccl:all_reduce"
    std::vector<int64_t> inputs = {16}, outputs = {16}; ///< sizes of one tensor
    std::string dtype = "Float";
    std::string state = "completed";
    bool isRetired = true, isP2p = false;
    int64_t created = 0; ///< ns
    std::string function = "step";
    int64_t line = 1;
    // Counted by the job.
    int64_t record = 0, sequence = 0, p2pSequence = 0;
};

/// A job whose ranks record their calls, and dumps of it, in the forms in which PyTorch writes them. The numbers of
/// calls are counted here, so tests know them without Riffle.
class FlightJob {
public:
    struct Group {
        std::string name, description;
        std::vector<int64_t> ranks;
    };
    explicit FlightJob(std::vector<Group> own) : groups(std::move(own)) {}

    std::vector<Group> groups;
    std::map<int64_t, std::vector<JobCall>> calls; ///< by rank
    std::string version = "2.10";
    bool listsGroups = true; ///< false as in dumps of gloo, whose list of groups has no names
    int64_t now = 1'700'000'000'000'000'000;

    /// Records one call of one rank, and returns it to be changed.
    JobCall &call(int64_t rank, size_t group, const std::string &kind, int64_t elements = 16);
    /// Records a call of all ranks of the group that ended.
    void all(size_t group, const std::string &kind, int64_t elements = 16);
    /// Makes the last call of a rank one that waits, and whose time ran out.
    static void wait(JobCall &call, bool isStarted = true, bool isTimedOut = true);
    /// Records a send or receive; `from` and `to` are ranks of the group.
    JobCall &send(int64_t rank, size_t group, int64_t from, int64_t to, int64_t elements = 16);
    JobCall &receive(int64_t rank, size_t group, int64_t from, int64_t to, int64_t elements = 16);

    /// The last `ring` calls of a rank; all of them if `ring` is 0.
    std::string pickle(int64_t rank, size_t ring = 0, int protocol = 2) const;
    std::string json(int64_t rank, size_t ring = 0) const;
    /// The same, read by Riffle.
    std::shared_ptr<const FlightDump> dump(int64_t rank, size_t ring = 0) const;

private:
    std::vector<JobCall> kept(int64_t rank, size_t ring) const;

    std::map<std::pair<int64_t, size_t>, std::pair<int64_t, int64_t>> m_counts; ///< by rank and group
};

} // namespace riffle::test
