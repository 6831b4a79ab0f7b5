// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/rank_list.h"
#include "model/base/task.h"
#include "model/trace/flight/flight_dump.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How the ranks of a group differ at a collective.
enum class DivergenceKind : uint8_t {
    MissingEntry,    ///< others wait in it, and a rank never made the call
    LateEntry,       ///< a rank made the call after the time of the others had run out
    OtherCollective, ///< a rank made another call in its place
    OtherSize,       ///< the same call with tensors of another size or type
    MissingPeer,     ///< a send without its receive, or the other way round
    StuckInside,     ///< all ranks made the call, and it did not end
    NoDump,          ///< all ranks with a dump wait in it; the others left no dump
};
std::string_view divergenceName(DivergenceKind kind);

enum class Sureness : uint8_t {
    Sure,   ///< the dumps leave no other reading
    Likely, ///< another reading needs a coincidence, which the evidence names
};
std::string_view surenessName(Sureness sureness);

/// A rank of the group at the place of the divergence.
struct HangMember {
    enum class Part : uint8_t {
        Waits,     ///< made the call, which did not end on this rank
        Finished,  ///< made the call, which ended on this rank
        NeverCame, ///< did not make the call
        NoDump,    ///< there is no dump of this rank, so nothing is known about it
        Unknown,   ///< its ring has lost this part, its dump is older, or it ends early
    };
    int64_t rank = 0;
    Part part = Part::Unknown;
    int32_t dump = -1;             ///< index in HangReport::dumps
    std::optional<uint32_t> entry; ///< its call at this place: a row of the dump
    std::optional<uint32_t> last;  ///< the last call of all groups that its dump has
    bool isStarted = false;        ///< the device began with the call
};
std::string_view partName(HangMember::Part part);

struct Divergence {
    DivergenceKind kind = DivergenceKind::StuckInside;
    Sureness sureness = Sureness::Likely;
    std::string groupName, groupDescription;
    RankList groupRanks;
    bool isGroupKnown = false; ///< the dumps say which ranks the group has
    bool isP2p = false;
    /// The `collective_seq_id` of collectives, or the `p2p_seq_id` of the rank that waits in a send or receive;
    /// FlightEntry::kNone if it is not recorded.
    int64_t sequence = 0;
    int64_t source = -1, destination = -1; ///< global ranks, of sends and receives
    std::string operation;                 ///< "nccl:all_reduce [[16]] Float", as most ranks called it
    std::vector<HangMember> members;       ///< the ranks with a dump; of sends and receives, both
    RankList withoutDump;                  ///< the other ranks of the group; of sends and receives, none
    RankList culprits;                     ///< the ranks that differ; empty if none can be told from the others
    bool isCircular = false;           ///< ranks wait for each other in several groups, so no divergence is the first
    std::vector<std::string> evidence; ///< whole sentences
};

/// The answer to where the ranks of a job diverge, from dumps of the Flight Recorder.
struct HangReport {
    std::vector<std::shared_ptr<const FlightDump>> dumps; ///< those that were compared, by rank
    std::vector<int64_t> ranks;                           ///< of the dumps
    RankList missing;                                     ///< ranks of the job without a dump
    int64_t worldSize = 0;
    bool isWorldKnown = false;        ///< the dumps say how many ranks there are; otherwise it is the largest rank + 1
    uint64_t groups = 0;              ///< groups with calls
    uint64_t compared = 0;            ///< collectives that at least two ranks have, and pairs of sends and receives
    uint64_t unplaced = 0;            ///< calls that did not end and could be compared with none; a remark says so
    uint64_t dropped = 0;             ///< entries without the number that tells their place; a remark says so
    std::vector<Divergence> found;    ///< at most one per group and pair of peers; the first one caused the others
    std::vector<std::string> remarks; ///< what limits the answer
};

/// Compares dumps. Rings are compared only where they overlap. A rank without a dump is evidence, but never called
/// late. Dumps without a rank, and a second dump of one rank, are left out with a remark.
///
/// The first divergence of a group is its lowest sequence at which calls differ, or at which somebody waits. Of several
/// groups, that one is first which every rank of both reached first, by the order in which it made its calls.
///
/// Time and memory grow with the calls and groups of the dumps, not with the number of ranks of the job. The report is
/// incomplete if the task was stopped.
HangReport hangOf(std::span<const std::shared_ptr<const FlightDump>> dumps, const Task &task);

} // namespace riffle
