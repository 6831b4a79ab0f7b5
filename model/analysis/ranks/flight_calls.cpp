// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/flight_calls.h"

#include <algorithm>
#include <cctype>
#include <charconv>
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

} // namespace

FlightRank callsOf(std::shared_ptr<const FlightDump> dump, int64_t rank)
{
    FlightRank own;
    own.rank = rank;
    // A dump of active calls alone can be empty, although there were calls.
    own.isWhole = !dump->isWrapped() && (!dump->entries.empty() || dump->statuses == 0);
    own.groups.resize(dump->groups.size());
    const bool tracksState = dump->tracksState();
    // A launch of several operations has its state in an entry of its own, which follows them.
    std::map<std::tuple<uint32_t, bool, int64_t>, uint32_t> launches;
    for (uint32_t row = 0; row < dump->entries.size(); ++row) {
        const FlightEntry &entry = dump->entries[row];
        if (kindOf(dump->text(entry.name)) == "coalesced")
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
        call.sequence = isP2p ? entry.p2pSequence : entry.sequence;
        const auto launch = launches.find({entry.group, entry.isP2p, call.sequence});
        const FlightEntry &state = launch == launches.end() ? entry : dump->entries[launch->second];
        if (tracksState) {
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
            calls.p2p.push_back(std::move(call));
        } else if (!isP2p && call.sequence != FlightEntry::kNone) {
            calls.collectives[call.sequence].push_back(std::move(call));
        }
    }
    for (uint32_t at = 0; at < own.groups.size(); ++at) {
        FlightGroupCalls &calls = own.groups[at];
        calls.group = at;
        if (!calls.collectives.empty()) {
            calls.last = calls.collectives.rbegin()->first;
            // The oldest launch in the ring may have lost some of its operations.
            const auto &[first, oldest] = *calls.collectives.begin();
            if (!own.isWhole)
                calls.knownFrom = oldest.front().entry == 0 && oldest.size() > 1 ? first + 1 : first;
        } else if (!own.isWhole) {
            calls.knownFrom = INT64_MAX; // the ring has lost everything of this group, if there was something
            const int64_t enqueued = dump->groups[at].lastEnqueued;
            if (enqueued != FlightEntry::kNone && enqueued >= 0 && calls.p2p.empty()) {
                calls.last = enqueued;
                calls.knownFrom = enqueued + 1;
            }
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

std::string rankListText(const std::vector<int64_t> &ranks)
{
    std::string text;
    for (size_t at = 0; at < ranks.size();) {
        size_t end = at + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        text.append(text.empty() ? "" : ", ").append(std::to_string(ranks[at]));
        if (end - at > 1)
            text.append(end - at > 2 ? "-" : ", ").append(std::to_string(ranks[end - 1]));
        at = end;
    }
    return text;
}

} // namespace riffle
