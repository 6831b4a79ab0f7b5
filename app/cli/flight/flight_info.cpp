// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/flight/flight_info.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/hang_text.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle::cli {

namespace {

int codeOfError(const Error &error)
{
    complain(error.text());
    return error.kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
}

/// Returns a file that the table of formats reads as this type, or the exit code of its error.
template <typename File>
std::variant<std::shared_ptr<const File>, int> opened(const std::string &path, const ImportOptions &options)
{
    Result<ImportedFile> read = importerOf(path).open(path, options, {});
    if (!read)
        return codeOfError(read.error());
    return std::get<std::shared_ptr<const File>>(*read);
}

std::string orNull(int64_t number, int64_t none) { return number == none ? "null" : std::to_string(number); }

std::string orDash(int64_t number, int64_t none) { return number == none || number < 0 ? "-" : formatCount(number); }

std::string groupTitle(const FlightGroup &group)
{
    return fmt::format("\"{}\"{}", shownText(group.name),
                       group.description.empty() ? "" : " (" + shownText(group.description) + ")");
}

void printJson(const FlightDump &dump)
{
    uint64_t open = 0;
    for (const FlightEntry &entry : dump.entries)
        open += entry.state != FlightState::Completed;
    const auto groups = jsonList(dump.groups, [](const FlightGroup &group) {
        return fmt::format(
            "{{\"name\": {}, \"description\": {}, \"id\": {}, \"ranks\": {}, \"last_enqueued\": {}, "
            "\"last_started\": {}, \"last_completed\": {}}}",
            jsonString(group.name), jsonString(group.description), orNull(group.id, FlightEntry::kNone),
            group.isListed ? jsonList(group.ranks, [](int64_t rank) { return std::to_string(rank); }) : "null",
            orNull(group.lastEnqueued, FlightEntry::kNone), orNull(group.lastStarted, FlightEntry::kNone),
            orNull(group.lastCompleted, FlightEntry::kNone));
    });
    const auto world = dump.worldSize();
    fmt::print("{{\n  \"path\": {},\n  \"format\": \"flight recorder\",\n  \"container\": {},\n  \"bytes\": {},\n",
               jsonString(dump.path), jsonString(dump.container), dump.fileBytes);
    fmt::print(
        "  \"version\": {},\n  \"library\": {},\n  \"rank\": {},\n  \"rank_guessed\": {},\n  \"world_size\": {},\n",
        jsonString(dump.version), jsonString(dump.library), dump.rank ? std::to_string(*dump.rank) : "null",
        dump.isRankGuessed, world ? std::to_string(*world) : "null");
    fmt::print("  \"groups\": {},\n  \"entries\": {},\n  \"not_completed\": {},\n  \"tracks_state\": {},\n", groups,
               dump.entries.size(), open, dump.tracksState());
    fmt::print(
        "  \"first_record\": {},\n  \"ring_wrapped\": {},\n  \"communicators\": {},\n  \"unreadable_fields\": {},\n",
        dump.entries.empty() ? "null" : orNull(dump.entries.front().record, FlightEntry::kNone), dump.isWrapped(),
        dump.communicators, dump.unreadable);
    fmt::print("  \"damage\": {}\n}}\n", dump.damage ? jsonString(dump.damage->message) : "null");
}

void printText(const FlightDump &dump)
{
    fmt::print("{}\n  format      dump of PyTorch's Flight Recorder, version {} ({}), {}\n", shownText(dump.path),
               dump.version.empty() ? "unknown" : shownText(dump.version), dump.container,
               formatBytes(static_cast<int64_t>(dump.fileBytes)));
    if (!dump.library.empty())
        fmt::print("  library     {}\n", shownText(dump.library));
    fmt::print("  rank        {}\n",
               !dump.rank           ? "unknown: the file's name does not tell it, and a dump does not contain it"
               : dump.isRankGuessed ? std::to_string(*dump.rank) + " (a guess: the number at the end of the name)"
                                    : std::to_string(*dump.rank) + " (in the name)");
    if (const auto world = dump.worldSize())
        fmt::print("  world size  {}\n", *world);
    fmt::print("  groups      {}\n", dump.groups.size());
    for (const FlightGroup &group : dump.groups)
        fmt::print("    {}: {}; last enqueued {}, started {}, completed {}\n", groupTitle(group),
                   group.isListed ? "ranks " + rankListText(group.ranks) : "ranks not recorded",
                   orDash(group.lastEnqueued, FlightEntry::kNone), orDash(group.lastStarted, FlightEntry::kNone),
                   orDash(group.lastCompleted, FlightEntry::kNone));
    fmt::print("  entries     {}", formatCount(static_cast<int64_t>(dump.entries.size())));
    if (dump.isWrapped())
        fmt::print("; the ring has lost the {} before", formatCount(dump.entries.front().record));
    fmt::print("\n  states      ");
    if (!dump.tracksState()) {
        fmt::print("not tracked by this backend; {} retired\n",
                   std::ranges::count(dump.entries, true, &FlightEntry::isRetired));
    } else {
        const auto count = [&](FlightState state) {
            return std::ranges::count(dump.entries, state, &FlightEntry::state);
        };
        fmt::print("{} completed, {} started, {} scheduled\n", count(FlightState::Completed),
                   count(FlightState::Started), count(FlightState::Scheduled));
    }
    if (!dump.entries.empty()) {
        const auto last = static_cast<uint32_t>(dump.entries.size() - 1);
        const FlightEntry &entry = dump.entries[last];
        fmt::print("  last        {}, {} {} of {}, {}{}\n", shownText(callText(dump, last)),
                   entry.isP2p ? "send or receive" : "collective",
                   orDash(entry.isP2p ? entry.p2pSequence : entry.sequence, FlightEntry::kNone),
                   groupTitle(dump.groups[entry.group]), flightStateName(entry.state),
                   entry.created == FlightEntry::kNone ? "" : ", made at " + formatUnixTime(entry.created));
        for (const uint32_t frame : framesToShow(dump, last, 3))
            fmt::print("              at {}\n", frameText(dump, frame));
    }
    if (dump.communicators)
        fmt::print("  not read    the states of {} NCCL communicators\n", dump.communicators);
    if (dump.unreadable)
        fmt::print("  import      {} fields of another type than expected were left out\n", dump.unreadable);
    if (dump.damage)
        fmt::print("  import      {}\n", dump.damage->in("").text());
}

void printJson(const NcclInspectorLog &log)
{
    const auto communicators = jsonList(log.communicators, [](const InspectorCommunicator &one) {
        return fmt::format("{{\"id\": {}, \"name\": {}, \"rank\": {}, \"ranks\": {}, \"nodes\": {}, \"host\": {}, "
                           "\"pid\": {}, \"dropped_collectives\": {}, \"dropped_p2p\": {}, \"dropped_proxy\": {}}}",
                           jsonString(one.id), jsonString(one.name), orNull(one.rank, -1), orNull(one.ranks, -1),
                           orNull(one.nodes, -1), jsonString(one.host), orNull(one.pid, -1), one.droppedCollectives,
                           one.droppedP2p, one.droppedProxy);
    });
    const auto p2p = std::ranges::count(log.calls, true, &InspectorCall::isP2p);
    fmt::print("{{\n  \"path\": {},\n  \"format\": \"nccl inspector\",\n  \"container\": {},\n  \"bytes\": {},\n",
               jsonString(log.path), jsonString(log.container), log.fileBytes);
    fmt::print("  \"versions\": {},\n  \"communicators\": {},\n  \"collectives\": {},\n  \"p2p\": {},\n",
               jsonList(log.versions), communicators, static_cast<int64_t>(log.calls.size()) - p2p, p2p);
    fmt::print("  \"proxy_records\": {},\n  \"dumps\": {},\n  \"dropped\": {},\n  \"announced_but_missing\": {},\n  "
               "\"proxy_skipped\": {},\n",
               log.proxyRecords, log.dumps, log.dropped(), log.promised, log.proxySkipped);
    fmt::print("  \"troubles\": {},\n  \"damage\": {}\n}}\n",
               jsonList(log.troubles,
                        [](const FileTrouble &trouble) {
                            return fmt::format("{{\"what\": {}, \"count\": {}, \"first_line\": {}}}",
                                               jsonString(trouble.what), trouble.count, trouble.firstLine);
                        }),
               log.damage ? jsonString(log.damage->message) : "null");
}

void printText(const NcclInspectorLog &log)
{
    fmt::print("{}\n  format      log of NCCL Inspector", shownText(log.path));
    for (const std::string &version : log.versions)
        fmt::print(", {}", shownText(version));
    fmt::print(" ({}), {}\n  groups      {}\n", log.container, formatBytes(static_cast<int64_t>(log.fileBytes)),
               log.communicators.size());
    struct Calls {
        int64_t count = 0, first = INT64_MAX, last = -1;
    };
    std::vector<Calls> calls(log.communicators.size());
    for (const InspectorCall &call : log.calls) {
        Calls &own = calls.at(call.communicator);
        ++own.count;
        if (!call.isP2p && call.sequence >= 0) {
            own.first = std::min(own.first, call.sequence);
            own.last = std::max(own.last, call.sequence);
        }
    }
    for (size_t at = 0; at < log.communicators.size(); ++at) {
        const InspectorCommunicator &one = log.communicators[at];
        const auto [count, first, last] = calls[at];
        fmt::print("    {}{}: rank {} of {}, {} calls{}{}\n", shownText(one.id),
                   one.name.empty() ? "" : " \"" + shownText(one.name) + "\"", orDash(one.rank, -1),
                   orDash(one.ranks, -1), formatCount(count),
                   last < 0 ? "" : fmt::format(", collectives {} to {}", formatCount(first), formatCount(last)),
                   one.host.empty() ? "" : fmt::format(", {} pid {}", shownText(one.host), one.pid));
        if (one.droppedCollectives || one.droppedP2p || one.droppedProxy)
            fmt::print("      lost      {} collectives, {} sends and receives, {} records of the proxy: the ring "
                       "overwrote them\n",
                       formatCount(static_cast<int64_t>(one.droppedCollectives)),
                       formatCount(static_cast<int64_t>(one.droppedP2p)),
                       formatCount(static_cast<int64_t>(one.droppedProxy)));
    }
    fmt::print("  calls       {}; {} of them sends and receives\n", formatCount(static_cast<int64_t>(log.calls.size())),
               formatCount(std::ranges::count(log.calls, true, &InspectorCall::isP2p)));
    if (log.proxyRecords)
        fmt::print("  proxy       {} records, which are counted only\n",
                   formatCount(static_cast<int64_t>(log.proxyRecords)));
    if (log.proxySkipped)
        fmt::print("  proxy       {} operations for other processes were not recorded\n",
                   formatCount(static_cast<int64_t>(log.proxySkipped)));
    if (log.promised)
        fmt::print("  import      lost: {} records that were announced do not follow\n",
                   formatCount(static_cast<int64_t>(log.promised)));
    for (const FileTrouble &trouble : log.troubles)
        fmt::print("  import      {}: {} (the first one in line {})\n", trouble.what,
                   formatCount(static_cast<int64_t>(trouble.count)), trouble.firstLine);
    if (log.damage)
        fmt::print("  import      {}\n", log.damage->in("").text());
    if (!log.hasLosses())
        fmt::print("  import      no problems\n");
}

} // namespace

std::string jsonStack(const FlightDump &dump, uint32_t entry)
{
    return jsonList(dump.stack(dump.entries[entry].stack), [&](uint32_t frame) {
        const FlightFrame &own = dump.frames[frame];
        return fmt::format("{{\"name\": {}, \"file\": {}, \"line\": {}}}", jsonString(dump.text(own.name)),
                           jsonString(dump.text(own.file)), own.line);
    });
}

int flightDumpInfo(const std::string &path, bool json, const ImportOptions &options)
{
    const auto dump = opened<FlightDump>(path, options);
    if (const int *code = std::get_if<int>(&dump))
        return *code;
    const FlightDump &own = *std::get<std::shared_ptr<const FlightDump>>(dump);
    json ? printJson(own) : printText(own);
    return own.damage || own.unreadable ? WithLosses : Good;
}

int inspectorLogInfo(const std::string &path, bool json, const ImportOptions &options)
{
    const auto log = opened<NcclInspectorLog>(path, options);
    if (const int *code = std::get_if<int>(&log))
        return *code;
    const NcclInspectorLog &own = *std::get<std::shared_ptr<const NcclInspectorLog>>(log);
    json ? printJson(own) : printText(own);
    return own.hasLosses() ? WithLosses : Good;
}

} // namespace riffle::cli
