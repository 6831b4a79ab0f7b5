// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/ranks/rank_list.h"
#include "model/trace/run/call_table.h"
#include "model/trace/time_map.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The process group of a call, as one rank recorded it.
struct RecordedGroup {
    std::string name, description;
    RankList ranks;             ///< the members; empty unless all of them are known
    std::vector<int64_t> first; ///< the first members of a list that was cut
    int64_t size = kNoInt;
    bool hasTwin = false; ///< true if pg_config lists another group of the same ranks
};

/// The calls of one rank, with what is needed to match them with those of other ranks. No column of the trace is read.
struct CallList {
    CallTable table;
    std::vector<RecordedGroup> groups;
    std::vector<std::string> texts;
    std::optional<int64_t> rank, worldSize;
    Ns resolution = 1;          ///< in which the times were written, ns: 1000 if all are whole microseconds
    std::optional<Ns> unixBase; ///< wall clock = unixBase + `wall` of the trace's time
    TimeMap wall;               ///< straightens the trace's clock, if its recorder read the wall clock several times
    /// The least launch delay (R9) of the device work but for a thousandth, which may be damage: negative if the clock
    /// of the device is behind that of the host. Nothing without work that was launched.
    std::optional<Ns> leastLaunchDelay;

    size_t size() const { return table.start.size(); }
};

/// The calls of a trace's rank.
///
/// Group of a call: as recorded, with its whole list of ranks from the entry of pg_config that has its name and fits,
/// or from the size of the world if the group is as large. Calls that only a kernel's name shows have the group of the
/// other calls on their stream, if that is one group. Operations that share a launch (nccl:coalesced) have its times
/// if they are of its group, or of that of the last one if the launch tells none; the launch itself is no call then.
CallList callListOf(const TraceFacts &facts);

/// The ranks that several of the lists recorded, ascending: spans, runs or copies.
std::vector<int64_t> repeatedRanks(std::span<const CallList *const> lists);

/// Puts rows into columns, in the order of the device's streams (CallTable).
CallTable callTableOf(std::vector<CallRow> rows);

} // namespace riffle
