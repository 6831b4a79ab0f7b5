// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    std::optional<int64_t> last; ///< the last collective that is recorded, also only by its number
};

/// The ranks that a name or a rank of a dump stands for, and its calls by group.
struct FlightRank {
    std::shared_ptr<const FlightDump> dump;
    int64_t rank = 0;
    bool isWhole = true;                  ///< the dump has all calls that the process made
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
/// "0-3, 8": ranks for messages.
std::string rankListText(const std::vector<int64_t> &ranks);

} // namespace riffle
