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

constexpr std::chrono::seconds kPatience(2); ///< timeout of requests that do not wait for the disk

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

/// The processes among `pids` whose collector answers, or all such processes if `pids` is empty. Prints an error for
/// each of `pids` that does not answer, and sets `missing`.
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
        } else if (!pids.empty()) { // otherwise ignore it: it has just ended or was killed
            complain(fmt::format("Process {}: {}", listening.pid, error));
            missing = true;
        }
    }
    for (const int pid : left)
        complain(fmt::format("Process {} has no collector that you can control.", pid));
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
    complain(sentence + " See riffle-cli control --help.");
    return Usage;
}

/// The text that the action sends to a process. `words` are the command's arguments that are not process ids.
std::string textOf(Kind kind, const std::vector<std::string> &words, const Process &process, bool several)
{
    if (kind == Kind::Start)
        return fmt::format("{}", fmt::join(words, "\n"));
    if (kind != Kind::Dump)
        return {};
    std::error_code error;
    std::filesystem::path folder = std::filesystem::absolute(words.front(), error).lexically_normal();
    if (several) // each process writes to a subfolder with the name of its log
        folder /= std::filesystem::path(control::lineOf(process.hello.text, "path")).filename();
    return folder.string();
}

int runControl(const ControlOptions &options)
{
    const auto action = std::find_if(std::begin(kActions), std::end(kActions),
                                     [&](const auto &known) { return options.action == known.first; });
    if (action == std::end(kActions))
        return wrongControlUsage("There is no action " + options.action + ".");
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
                                     ? std::string("dump needs exactly one folder.")
                                     : "'" + words.front() + "' is not a valid argument of " + options.action + ".");
    bool failed = false;
    std::vector<Process> all = processes(pids, failed);
    if (kind == Kind::Hello) {
        options.json ? printJson(all) : printTable(all);
        return failed ? Unreadable : Good;
    }
    if (pids.empty() && all.size() > 1 && !options.all)
        return wrongControlUsage(
            fmt::format("{} processes have a collector. Give their ids, or use --all.", all.size()));
    if (all.empty() && !failed)
        complain("There is no process with a collector that you can control.");
    failed |= all.empty();
    const bool several = all.size() > 1;
    std::error_code error;
    if (kind == Kind::Dump && several && !std::filesystem::create_directories(words.front(), error) && error) {
        complain(words.front() + ": " + error.message() + ".");
        return Unreadable;
    }
    for (Process &process : all) {
        std::string why;
        if (process.client.ask(kind, textOf(kind, words, process, several), why))
            continue;
        complain(fmt::format("Process {}: {}", process.hello.as<control::HelloPart>().pid, why));
        failed = true;
    }
    return failed ? Unreadable : Good;
}

constexpr const char *kControlFooter = R"(
You can query and control every process of yours in which Riffle's collector has recorded. Its socket is in
$XDG_RUNTIME_DIR/riffle, otherwise in /tmp/riffle-UID; if RIFFLE_SOCKETS is set, only that folder is used. Without a
process id, the action applies to the only such process.

Actions:
  list            show what is recorded: process, rank, state, steps, events, drops, size and path of the log
  start [K=V...]  start another recording in a process that has ended one or was left out, with options of
                  riffle_start() such as preset=light or max_seconds=10
  pause, resume   pause or continue the recording; this ends a schedule, so from then on you are in control
  stop            end the recording and close its log
  flush           write everything recorded so far
  dump FOLDER     link the current files of the log into a new folder; with several processes, into subfolders

Exit codes: 0 success, 1 a process was not found or refused, 2 usage error.

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
        "control", "Query and control the collectors of running processes: riffle-cli control ACTION [PID...]");
    command->add_option("ACTION", options->action, "list, start, pause, resume, stop, flush or dump")->required();
    command->add_option("WORDS", options->words, "Process ids and arguments of the action")->type_name("");
    command->add_flag("--all", options->all, "Apply the action to all processes if none is named");
    command->add_flag("--json", options->json, "Print the list as JSON");
    command->footer(kControlFooter);
    command->callback([options, &code] { code = runControl(*options); });
}

} // namespace riffle::cli
