// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"

#include "collector/client/control_client.h"
#include "collector/client/rank.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace riffle::cli {

namespace {

using control::Kind;

struct ControlOptions {
    std::string action;
    std::vector<std::string> words;
    bool all = false, json = false;
};

constexpr std::pair<const char *, Kind> kActions[] = {
    {"list", Kind::Hello}, {"start", Kind::Start}, {"pause", Kind::Pause}, {"resume", Kind::Resume},
    {"stop", Kind::Stop},  {"flush", Kind::Flush}, {"dump", Kind::Dump}};

constexpr std::chrono::seconds kPatience(2); ///< for what is answered at once, even if the disk is slow

/// A process whose collector answers.
struct Process {
    record::ControlClient client;
    record::Reply hello, stats;
};

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

/// Those of `pids` whose collector answers, all when it is empty; complains of those that were asked for and do not.
std::vector<Process> processes(const std::vector<int> &pids, bool &missing)
{
    std::vector<Process> all;
    std::vector<int> left = pids;
    for (const record::Listening &listening : record::listeningCollectors()) {
        if (!pids.empty() && std::erase(left, listening.pid) == 0)
            continue;
        Process process;
        std::string error;
        std::optional<record::Reply> hello, stats;
        if (process.client.connect(listening.path, error) &&
            (hello = process.client.ask(Kind::Hello, {}, error, kPatience)) &&
            (stats = process.client.ask(Kind::Stats, {}, error, kPatience))) {
            process.hello = std::move(*hello);
            process.stats = std::move(*stats);
            all.push_back(std::move(process));
        } else if (!pids.empty()) { // else it ended a moment ago, or was killed
            complain(fmt::format("process {}: {}", listening.pid, error));
            missing = true;
        }
    }
    for (const int pid : left)
        complain(fmt::format("process {} has no collector of yours that listens", pid));
    missing |= !left.empty();
    return all;
}

void printJson(const std::vector<Process> &all)
{
    fmt::print("[");
    for (const Process &process : all) {
        const auto hello = process.hello.as<control::HelloPart>();
        const auto stats = process.stats.as<control::StatsPart>();
        const auto rank = [](int32_t number) { return number < 0 ? "null" : std::to_string(number); };
        const auto text = [&](const char *key) { return jsonString(control::lineOf(process.hello.text, key)); };
        fmt::print(
            "{}\n  {{\"pid\": {}, \"rank\": {}, \"local_rank\": {}, \"world_size\": {}, \"state\": {}, \"host\": {}, "
            "\"executable\": {}, \"collector\": {}, \"path\": {}, \"cuda\": {}, \"scheduled\": {}, "
            "\"flight_recorder\": {}, ",
            &process == all.data() ? "" : ",", hello.pid, rank(hello.rank), rank(hello.localRank),
            rank(hello.worldSize), jsonString(stateName(hello.state)), text("host"), text("executable"),
            text("collector"), text("path"), bool(hello.capabilities & control::kRecordsCuda),
            bool(hello.capabilities & control::kScheduled), bool(hello.capabilities & control::kFlightRecorder));
        fmt::print(
            "\"steps\": {}, \"cycle\": {}, \"events\": {}, \"dropped\": {}, \"bytes_written\": {}, \"bytes_kept\": {}, "
            "\"buffer_bytes\": {}, \"threads\": {}, \"dumps\": {}}}",
            stats.steps, stats.cycle, stats.events, stats.dropped, stats.bytesWritten, stats.bytesKept,
            stats.bufferBytes, stats.threads, stats.dumps);
    }
    fmt::print("\n]\n");
}

void printTable(const std::vector<Process> &all)
{
    fmt::print("{:>8} {:>5} {:<10} {:>8} {:>12} {:>10} {:>10}  {}\n", "PID", "RANK", "STATE", "STEPS", "EVENTS",
               "DROPPED", "SIZE", "LOG");
    for (const Process &process : all) {
        const auto hello = process.hello.as<control::HelloPart>();
        const auto stats = process.stats.as<control::StatsPart>();
        const auto count = [](uint64_t number) { return formatCount(static_cast<int64_t>(number)); };
        const std::string_view path = control::lineOf(process.hello.text, "path");
        fmt::print("{:>8} {:>5} {:<10} {:>8} {:>12} {:>10} {:>10}  {}\n", hello.pid,
                   hello.rank < 0 ? "-" : std::to_string(hello.rank), stateName(stats.state), count(stats.steps),
                   count(stats.events), count(stats.dropped), formatBytes(static_cast<int64_t>(stats.bytesKept)),
                   path.empty() ? "-" : path);
    }
}

int wrongControlUsage(const std::string &sentence)
{
    complain(sentence + "; riffle-cli control --help tells more");
    return Usage;
}

/// The text that the action needs, of the words that are no process ids.
std::string textOf(Kind kind, const std::vector<std::string> &words, const Process &process, bool several)
{
    if (kind == Kind::Start)
        return fmt::format("{}", fmt::join(words, "\n"));
    if (kind != Kind::Dump)
        return {};
    std::error_code error;
    std::filesystem::path folder = std::filesystem::absolute(words.front(), error).lexically_normal();
    if (several) // each log by its own name
        folder /= std::filesystem::path(control::lineOf(process.hello.text, "path")).filename();
    return folder.string();
}

int runControl(const ControlOptions &options)
{
    const auto action = std::find_if(std::begin(kActions), std::end(kActions),
                                     [&](const auto &known) { return options.action == known.first; });
    if (action == std::end(kActions))
        return wrongControlUsage("there is no action " + options.action);
    std::vector<int> pids;
    std::vector<std::string> words;
    for (const std::string &word : options.words)
        if (const auto pid = record::wholeNumber(word))
            pids.push_back(*pid);
        else
            words.push_back(word);
    const Kind kind = action->second;
    if (kind == Kind::Dump ? words.size() != 1 : kind != Kind::Start && !words.empty())
        return wrongControlUsage(kind == Kind::Dump
                                     ? "dump needs one folder"
                                     : options.action + " does not know what '" + words.front() + "' is");
    bool failed = false;
    std::vector<Process> all = processes(pids, failed);
    if (kind == Kind::Hello) {
        options.json ? printJson(all) : printTable(all);
        return failed ? Unreadable : Good;
    }
    if (pids.empty() && all.size() > 1 && !options.all)
        return wrongControlUsage(fmt::format("{} processes are recorded: name their ids, or say --all", all.size()));
    if (all.empty() && !failed)
        complain("no process of yours has a collector that listens");
    failed |= all.empty();
    const bool several = all.size() > 1;
    std::error_code error;
    if (kind == Kind::Dump && several && !std::filesystem::create_directories(words.front(), error) && error) {
        complain(words.front() + ": " + error.message());
        return Unreadable;
    }
    for (Process &process : all) {
        std::string why;
        if (process.client.ask(kind, textOf(kind, words, process, several), why))
            continue;
        complain(fmt::format("process {}: {}", process.hello.as<control::HelloPart>().pid, why));
        failed = true;
    }
    return failed ? Unreadable : Good;
}

constexpr const char *kControlFooter = R"(
Every process that Riffle's collector has recorded in can be asked and told from outside, by its own user: by a socket in
$XDG_RUNTIME_DIR/riffle, else /tmp/riffle-UID; or in RIFFLE_SOCKETS alone where that is set. What is not said to a process
by its id goes to the only one there is.

Actions:
  list            what is recorded: process, rank, state, steps, events, drops, size and path of the log
  start [K=V...]  begin another recording in a process that has ended one, or was left out; with options of
                  riffle_start(), such as preset=light or max_seconds=10
  pause, resume   a schedule ends with that: from then on it is you who decides
  stop            end the recording and close its log
  flush           write what is recorded up to now
  dump FOLDER     link the log's files as they are into a new folder; of several processes, folders in it

Exit codes: 0 done, 1 a process was not there or refused, 2 usage.

Examples:
  riffle-cli control list
  riffle-cli control dump 4711 last_minute.rifflelog
  riffle-cli control start --all preset=light max_seconds=10
)";

} // namespace

void addControlCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<ControlOptions>();
    CLI::App *command = app.add_subcommand(
        "control", "Asks and tells the collectors of running processes: riffle-cli control ACTION [PID...]");
    command->add_option("ACTION", options->action, "list, start, pause, resume, stop, flush or dump")->required();
    command->add_option("WORDS", options->words, "Process ids, and what the action needs")->type_name("");
    command->add_flag("--all", options->all, "Also when there are several processes and none is named");
    command->add_flag("--json", options->json, "list: as JSON");
    command->footer(kControlFooter);
    command->callback([options, &code] { code = runControl(*options); });
}

} // namespace riffle::cli
