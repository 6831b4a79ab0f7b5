// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/rank_list.h"
#include "model/trace/flight/flight_dump.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// An entry of a dump as the comparison of dumps sees it.
struct FlightCall {
    uint32_t entry = 0; ///< row of the dump
    std::string kind;   ///< the name without its backend: "all_reduce", "send"
    int64_t sequence = 0;
    bool isFinished = false; ///< it completed, or the backend says that it is done with it
    bool isStarted = false;  ///< the device began with it
    bool isTimedOut = false; ///< its time ran out before it completed
    /// The peers of a send or receive: ranks of the group; -1 for a receive from anybody.
    int64_t source = -1, destination = -1;
};

/// The calls of one group of one dump.
struct FlightGroupCalls {
    uint32_t group = 0;                                     ///< index in FlightDump::groups
    std::map<int64_t, std::vector<FlightCall>> collectives; ///< by sequence; several share it if they were coalesced
    std::vector<FlightCall> p2p;                            ///< sends and receives, in the order of the record
    /// The first sequence from which on the ring has all collectives of this group; INT64_MIN if nothing was lost.
    int64_t knownFrom = INT64_MIN;
    /// The last collective that the process made, as far as the dump tells: that of its status may not be recorded.
    std::optional<int64_t> last;
    /// No call of the group can be missing behind those that are recorded, or behind `last`.
    bool isEndKnown = true;
    uint64_t dropped = 0;   ///< entries without the number that tells their place
    uint64_t openAlone = 0; ///< launches of sends and receives that did not end, without their operations
};

/// The ranks that a name or a rank of a dump stands for, and its calls by group.
struct FlightRank {
    std::shared_ptr<const FlightDump> dump;
    int64_t rank = 0;
    /// The dump has all calls that the process made, up to the last one that it has.
    bool isWhole = true;
    /// No call can be missing behind the last one: nothing was cut off or unreadable, and the dump has more than the
    /// calls that were active.
    bool isEndKnown = true;
    bool tracksState = false;             ///< see FlightDump::tracksState()
    bool isOfOtherTime = false;           ///< it ends long before the others begin, so it may be from another run
    std::vector<FlightGroupCalls> groups; ///< one per FlightDump::groups

    const FlightEntry &entry(uint32_t row) const { return dump->entries[row]; }
};

FlightRank callsOf(std::shared_ptr<const FlightDump> dump, int64_t rank);

/// The sizes that all ranks of a collective must agree on.
enum class SizeRule : uint8_t {
    Both,   ///< all-reduce, broadcast, reduce: all tensors are alike on every rank
    Output, ///< all-gather of a list: what is gathered
    Input,  ///< reduce-scatter of a list: what is scattered
    Sum,    ///< all-to-all: what all ranks send together is what they receive together
    None    ///< gather and scatter: only one rank has the whole
};
SizeRule sizeRuleOf(std::string_view kind);

/// "all_reduce [[16]] Float": what a call is, for messages.
std::string callText(const FlightDump &dump, uint32_t entry);
} // namespace riffle
