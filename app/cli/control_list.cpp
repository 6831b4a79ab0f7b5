// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/control_list.h"

#include "model/base/format.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

std::string stateName(control::State state)
{
    switch (state) {
    case control::State::Off: return "off";
    case control::State::Recording: return "recording";
    case control::State::Paused: return "paused";
    case control::State::Ended: return "ended";
    case control::State::LeftOut: return "left out";
    }
    return "unknown";
}

bool isFollowed(control::State state) { return state == control::State::Recording || state == control::State::Paused; }

/// The JSON object of the lines dropped.REASON=N.
std::string droppedByReason(std::string_view text)
{
    std::string object;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        constexpr std::string_view kKey = "dropped.";
        const size_t equals = line.rfind('=');
        if (!line.starts_with(kKey) || equals == std::string_view::npos)
            continue;
        const std::string_view count = line.substr(equals + 1);
        if (count.empty() || count.find_first_not_of("0123456789") != std::string_view::npos)
            continue;
        object += (object.empty() ? "" : ", ") + jsonString(line.substr(kKey.size(), equals - kKey.size())) + ": " +
                  std::string(count);
    }
    return "{" + object + "}";
}

} // namespace

void printControlJson(const std::vector<ControlledProcess> &all)
{
    fmt::print("[");
    for (const ControlledProcess &process : all) {
        const auto hello = process.hello.as<control::HelloPart>();
        const auto stats = process.stats.as<control::StatsPart>();
        const auto orNull = [](auto number, bool known) { return known ? std::to_string(number) : "null"; };
        const auto rank = [&](int32_t number) { return orNull(number, number >= 0); };
        const auto text = [&](const char *key) { return jsonString(control::lineOf(process.hello.text, key)); };
        const auto can = [&](control::Capability what) { return bool(hello.capabilities & what); };
        fmt::print("{}\n  {{\"pid\": {}, \"own_pid\": {}, \"rank\": {}, \"local_rank\": {}, \"world_size\": {}, "
                   "\"state\": {}, \"host\": {}, \"executable\": {}, \"command\": {}, \"process_start_ns\": {}, "
                   "\"collector\": {}, \"path\": {}, \"session\": {}, \"start_ns\": {}, \"preset\": {}, "
                   "\"schedule\": {}, \"error\": {}, ",
                   &process == all.data() ? "" : ",", process.pid, hello.pid, rank(hello.rank), rank(hello.localRank),
                   rank(hello.worldSize), jsonString(stateName(hello.state)), text("host"), text("executable"),
                   text("command"), orNull(hello.processStartNs, hello.processStartNs != 0), text("collector"),
                   text("path"), text("session"), orNull(hello.startNs, hello.startNs != 0), text("preset"),
                   text("schedule"), text("error"));
        fmt::print("\"cuda\": {}, \"scheduled\": {}, \"flight_recorder\": {}, \"python_part\": {}, \"operators\": {}, "
                   "\"shapes\": {}, \"modules\": {}, \"memory_history\": {}, ",
                   can(control::kRecordsCuda), can(control::kScheduled), can(control::kFlightRecorder),
                   can(control::kPythonPart), can(control::kOperators), can(control::kShapes), can(control::kModules),
                   can(control::kMemoryHistory));
        fmt::print(
            "\"steps\": {}, \"cycle\": {}, \"events\": {}, \"dropped\": {}, \"dropped_by\": {}, \"bytes_written\": {}, "
            "\"bytes_kept\": {}, \"buffer_bytes\": {}, \"threads\": {}, \"dumps\": {}, \"lag_ns\": {}, \"entries\": "
            "{}, "
            "\"collector_ns\": {}, \"program_ns\": {}, \"elapsed_ns\": {}, \"step_ns\": {}, \"cost_share\": {:.6f}}}",
            stats.steps, stats.cycle, stats.events, stats.dropped, droppedByReason(process.stats.text),
            stats.bytesWritten, stats.bytesKept, stats.bufferBytes, stats.threads, stats.dumps, stats.lagNs,
            stats.entries, stats.collectorNs, stats.programNs, stats.elapsedNs, stats.stepNs,
            control::costShare(stats));
    }
    fmt::print("\n]\n");
}

void printControlTable(const std::vector<ControlledProcess> &all)
{
    fmt::print("{:>8} {:>5} {:<10} {:<7} {:>8} {:>12} {:>10} {:>10} {:>8} {:>6}  {}\n", "PID", "RANK", "STATE",
               "PRESET", "STEPS", "EVENTS", "DROPPED", "SIZE", "LAG", "COST", "LOG");
    for (const ControlledProcess &process : all) {
        const auto hello = process.hello.as<control::HelloPart>();
        const auto stats = process.stats.as<control::StatsPart>();
        const auto count = [](uint64_t number) { return formatCount(static_cast<int64_t>(number)); };
        const bool isFollowing = isFollowed(stats.state);
        const std::string_view path = control::lineOf(process.hello.text, "path");
        const std::string_view preset = control::lineOf(process.hello.text, "preset");
        const std::string_view error = control::lineOf(process.hello.text, "error");
        fmt::print("{:>8} {:>5} {:<10} {:<7} {:>8} {:>12} {:>10} {:>10} {:>8} {:>6}  {}{}\n", process.pid,
                   hello.rank < 0 ? "-" : std::to_string(hello.rank), stateName(stats.state),
                   preset.empty() ? "-" : preset, count(stats.steps), count(stats.events), count(stats.dropped),
                   formatBytes(static_cast<int64_t>(stats.bytesKept)),
                   isFollowing ? fmt::format("{} ms", stats.lagNs / 1'000'000) : "-",
                   isFollowing ? formatShare(control::costShare(stats)) : "-", path.empty() ? "-" : path,
                   error.empty() ? "" : fmt::format(" ({})", error));
    }
}

} // namespace riffle::cli
