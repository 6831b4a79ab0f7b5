// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/flight_calls.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <tuple>

namespace riffle {

namespace {

/// "all_reduce" of "nccl:all_reduce", "send" of "nccl:send 0->1".
std::string_view kindOf(std::string_view name)
{
    name.remove_prefix(name.rfind(':') == name.npos ? 0 : name.rfind(':') + 1);
    return name.substr(0, name.find(' '));
}

/// Reads "send 0->1" and "recv 1<-0"; "?" is anybody.
void readPeers(std::string_view name, FlightCall &call)
{
    const size_t blank = name.find(' ');
    if (blank == name.npos)
        return;
    const std::string_view peers = name.substr(blank + 1);
    const size_t arrow = std::min(peers.find("->"), peers.find("<-"));
    if (arrow == peers.npos)
        return;
    const auto number = [](std::string_view text) {
        int64_t rank = -1;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), rank);
        return read.ec == std::errc() && rank >= 0 ? rank : -1;
    };
    const bool isTo = peers[arrow] == '-';
    (isTo ? call.source : call.destination) = number(peers.substr(0, arrow));
    (isTo ? call.destination : call.source) = number(peers.substr(arrow + 2));
}

constexpr std::string_view kLaunch = "coalesced"; ///< the entry that follows the operations of a launch

/// The oldest launch in a ring may have lost some of its operations; a single call cannot.
bool mayLackOperations(const std::vector<FlightCall> &launch)
{
    return launch.back().kind == kLaunch || (launch.size() > 1 && launch.front().entry == 0);
}

/// Decides which calls of the process a dump can lack.
void findLimits(const FlightDump &dump, FlightRank &own)
{
    bool areConsecutive = true, isAnyCompleted = false;
    for (size_t row = 0; row < dump.entries.size(); ++row) {
        const FlightEntry &entry = dump.entries[row];
        const int64_t expected = dump.entries.front().record + static_cast<int64_t>(row);
        areConsecutive = areConsecutive && entry.record != FlightEntry::kNone && entry.record == expected;
        isAnyCompleted = isAnyCompleted || entry.state == FlightState::Completed;
    }
    // The status counts the groups in which the process made a call, also if a dump of active calls has none of it.
    const auto withStatus = std::ranges::count_if(dump.groups, [](const FlightGroup &group) {
        return group.lastEnqueued != FlightEntry::kNone || group.lastStarted != FlightEntry::kNone ||
               group.lastCompleted != FlightEntry::kNone;
    });
    own.isWhole = dump.entries.empty() ? dump.statuses == 0
                                       : areConsecutive && dump.entries.front().record == 0 &&
                                             dump.statuses <= static_cast<uint64_t>(withStatus);
    // A dump of active calls lacks those that completed, so it has none of them.
    const bool mayBeActiveOnly = own.tracksState && !own.isWhole && !isAnyCompleted;
    own.isEndKnown = !dump.damage && dump.lostEntries == 0 && !mayBeActiveOnly;
}

} // namespace

FlightRank callsOf(std::shared_ptr<const FlightDump> dump, int64_t rank)
{
    FlightRank own;
    own.rank = rank;
    own.tracksState = dump->tracksState();
    findLimits(*dump, own);
    own.groups.resize(dump->groups.size());
    // A launch of several operations has its state in an entry of its own, which follows them.
    std::map<std::tuple<uint32_t, bool, int64_t>, uint32_t> launches;
    std::set<uint32_t> launchesWithOperations;
    std::vector<bool> hasP2p(dump->groups.size());
    for (uint32_t row = 0; row < dump->entries.size(); ++row) {
        const FlightEntry &entry = dump->entries[row];
        if (kindOf(dump->text(entry.name)) == kLaunch)
            launches[{entry.group, entry.isP2p, entry.isP2p ? entry.p2pSequence : entry.sequence}] = row;
    }
    for (uint32_t row = 0; row < dump->entries.size(); ++row) {
        const FlightEntry &entry = dump->entries[row];
        const FlightGroup &group = dump->groups[entry.group];
        FlightCall call;
        call.entry = row;
        const std::string_view name = dump->text(entry.name);
        call.kind = kindOf(name);
        const bool isPeers = call.kind == "send" || call.kind == "recv";
        const bool isP2p = isPeers || entry.isP2p;
        // Collectives have the number of the last send or receive, too, also if the dump has lost that.
        hasP2p[entry.group] = hasP2p[entry.group] || isP2p || entry.p2pSequence > 0;
        call.sequence = isP2p ? entry.p2pSequence : entry.sequence;
        const auto launch = launches.find({entry.group, entry.isP2p, call.sequence});
        const FlightEntry &state = launch == launches.end() ? entry : dump->entries[launch->second];
        if (own.tracksState) {
            call.isFinished = state.state == FlightState::Completed;
            call.isStarted = call.isFinished || state.state == FlightState::Started;
            call.isTimedOut = state.isRetired && !call.isFinished;
        } else {
            call.isFinished = state.isRetired || (!isP2p && group.lastCompleted != FlightEntry::kNone &&
                                                  call.sequence <= group.lastCompleted);
        }
        FlightGroupCalls &calls = own.groups[entry.group];
        if (isPeers) {
            readPeers(name, call);
            if (launch != launches.end())
                launchesWithOperations.insert(launch->second);
            calls.p2p.push_back(std::move(call));
        } else if (isP2p && call.kind == kLaunch) {
            calls.openAlone += !call.isFinished && !launchesWithOperations.contains(row);
        } else if (!isP2p && call.sequence != FlightEntry::kNone) {
            calls.collectives[call.sequence].push_back(std::move(call));
        } else {
            ++calls.dropped;
        }
    }
    for (uint32_t at = 0; at < own.groups.size(); ++at) {
        FlightGroupCalls &calls = own.groups[at];
        calls.group = at;
        // The status counts sends and receives, too, so it tells nothing about a group that has some.
        const int64_t enqueued = hasP2p[at] ? FlightEntry::kNone : dump->groups[at].lastEnqueued;
        const bool isEnqueuedKnown = enqueued != FlightEntry::kNone && enqueued >= 0;
        if (isEnqueuedKnown)
            calls.last = enqueued;
        const bool isCut = dump->damage || dump->lostEntries || calls.dropped;
        calls.isEndKnown = !isCut && (own.isEndKnown || isEnqueuedKnown);
        if (!calls.collectives.empty()) {
            calls.last = std::max(calls.last.value_or(INT64_MIN), calls.collectives.rbegin()->first);
            const auto &[first, oldest] = *calls.collectives.begin();
            if (!own.isWhole)
                calls.knownFrom = mayLackOperations(oldest) ? first + 1 : first;
        } else if (!own.isWhole) {
            // The ring has lost everything of this group, if there was something.
            calls.knownFrom = isEnqueuedKnown ? enqueued + 1 : INT64_MAX;
        }
    }
    own.dump = std::move(dump);
    return own;
}

SizeRule sizeRuleOf(std::string_view kind)
{
    std::string name(kind);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
    if (has("all_to_all") || has("alltoall"))
        return SizeRule::Sum;
    if (has("all_gather") || has("allgather"))
        return has("base") || has("into_tensor") ? SizeRule::Both : SizeRule::Output;
    if (has("reduce_scatter"))
        return has("base") || has("tensor") ? SizeRule::Both : SizeRule::Input;
    if (has("reduce") || has("broadcast") || has("barrier"))
        return SizeRule::Both;
    return SizeRule::None;
}

std::string callText(const FlightDump &dump, uint32_t row)
{
    const FlightEntry &entry = dump.entries[row];
    std::string text(dump.text(entry.name));
    for (const uint32_t part : {entry.inputs.sizes, entry.inputs.dtypes})
        if (part)
            text.append(" ").append(dump.text(part));
    return text;
}

} // namespace riffle
