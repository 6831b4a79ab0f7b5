// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/control_list.h"
#include "app/cli/output.h"

#include "collector/client/control_client.h"
#include "collector/client/rank.h"

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
    {"stop", Kind::Stop},  {"flush", Kind::Flush}, {"dump", Kind::Dump},   {"set", Kind::Set}};

constexpr std::chrono::seconds kPatience(2); ///< timeout of requests that do not wait for the disk

/// The processes among `pids` whose collector answers, or all such processes if `pids` is empty. Prints an error for
/// each of `pids` that does not answer, and sets `missing`.
std::vector<ControlledProcess> processes(const std::vector<int> &pids, bool &missing)
{
    std::vector<ControlledProcess> all;
    std::vector<int> left = pids;
    for (const record::Listening &listening : record::listeningCollectors()) {
        ControlledProcess process;
        std::string error;
        const bool isConnected = process.client.connect(listening.path, error);
        process.pid = isConnected ? process.client.peer() : 0;
        if (process.pid == 0)
            process.pid = listening.pid;
        if (!pids.empty() && std::erase(left, process.pid) == 0)
            continue;
        std::optional<record::Reply> hello, stats;
        if (isConnected && (hello = process.client.ask(Kind::Hello, {}, error, kPatience)) &&
            (stats = process.client.ask(Kind::Stats, {}, error, kPatience))) {
            process.hello = std::move(*hello);
            process.stats = std::move(*stats);
            all.push_back(std::move(process));
        } else if (isConnected || !pids.empty()) { // otherwise ignore it: it was killed
            complain(fmt::format("Process {}: {}", process.pid, error));
            missing = true;
        }
    }
    for (const int pid : left)
        complain(fmt::format("Process {} has no collector that you can control.", pid));
    missing |= !left.empty();
    return all;
}

/// Prints the notes of an answer: what the process could not do, or does later.
void printNotes(const ControlledProcess &process, std::string_view text)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (constexpr std::string_view kNote = "note="; line.starts_with(kNote))
            complain(fmt::format("Process {}: {}", process.pid, line.substr(kNote.size())));
    }
}

int wrongControlUsage(const std::string &sentence)
{
    complain(sentence + " See riffle-cli control --help.");
    return Usage;
}

/// The text that the action sends to a process. `words` are the command's arguments that are not process ids.
std::string textOf(Kind kind, const std::vector<std::string> &words, const ControlledProcess &process, bool several)
{
    if (kind == Kind::Start || kind == Kind::Set)
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
    if (kind == Kind::Dump && words.size() != 1)
        return wrongControlUsage("dump needs exactly one folder.");
    if (kind == Kind::Set && words.empty())
        return wrongControlUsage("set needs at least one option, such as shapes=1.");
    const bool takesOptions = kind == Kind::Start || kind == Kind::Set;
    if (kind != Kind::Dump && !words.empty() && (!takesOptions || words.front().find('=') == std::string::npos))
        return wrongControlUsage("'" + words.front() + "' is not a valid argument of " + options.action + ".");
    bool failed = false;
    std::vector<ControlledProcess> all = processes(pids, failed);
    if (kind == Kind::Hello) {
        options.json ? printControlJson(all) : printControlTable(all);
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
    for (ControlledProcess &process : all) {
        std::string why;
        if (const auto answer = process.client.ask(kind, textOf(kind, words, process, several), why)) {
            printNotes(process, answer->text);
            continue;
        }
        complain(fmt::format("Process {}: {}", process.pid, why));
        failed = true;
    }
    return failed ? Unreadable : Good;
}

constexpr const char *kControlFooter = R"(
You can query and control every process of yours in which Riffle's collector has recorded. Its socket is in
$XDG_RUNTIME_DIR/riffle, otherwise in /tmp/riffle-UID; if RIFFLE_SOCKETS is set, only that folder is used. Without a
process id, the action applies to the only such process.

Actions:
  list            show what is recorded: process, rank, state, preset, steps, events, drops, size, how far the log is
                  behind (LAG), what the recording costs as a share of the time (COST), and the path of the log; with
                  --json also command line, start, session, schedule, reasons of drops, and more
  start [K=V...]  start another recording in a process that has ended one or was left out by record --ranks, with options
                  of riffle_start() such as preset=light, max_seconds=10 or those of set
  set K=V...      change a recording while it runs:
                    operators=0|1       PyTorch's operators
                    shapes=0|1          the shapes of their inputs
                    modules=0|1         the forward calls of torch.nn modules
                    schedule=wait=W,warmup=U,active=A[,repeat=R][,skip_first=S][,skip_first_wait=1]
                                        counts from the next step; schedule=none records everything
                    preset=light|normal|memory
                                        ends the log and starts another one
                    ranks=0,1,8-15      starts the processes with these ranks, ends and leaves out the others
                    memory_history=N    PyTorch keeps the last N allocations on the GPU; 0 writes a snapshot beside the
                                        log and ends that
                    stacks=0|operators|sampled|calls
                                        the Python stacks of the outermost operators (also: 1), those of all threads at
                                        regular times, or every Python call as a range
  pause, resume   pause or continue the recording; this ends a schedule, so from then on you are in control
  stop            end the recording and close its log
  flush           write everything recorded so far
  dump FOLDER     link the current files of the log into a new folder; with several processes, into subfolders

In a Python job under riffle-cli record, start, set and resume also switch PyTorch's operators. That happens between two
steps or as soon as the main thread runs Python code; if that takes more than a second, a message says so.

Exit codes: 0 success, 1 a process was not found or refused, 2 usage error.

Examples:
  riffle-cli control list
  riffle-cli control dump 4711 last_minute.rifflelog
  riffle-cli control start --all preset=light max_seconds=10
  riffle-cli control set --all ranks=0,3 shapes=1
)";

} // namespace

void addControlCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<ControlOptions>();
    CLI::App *command = app.add_subcommand(
        "control", "Query and control the collectors of running processes: riffle-cli control ACTION [PID...]");
    command->add_option("ACTION", options->action, "list, start, set, pause, resume, stop, flush or dump")->required();
    command->add_option("WORDS", options->words, "Process ids and arguments of the action")->type_name("");
    command->add_flag("--all", options->all, "Apply the action to all processes if none is named");
    command->add_flag("--json", options->json, "Print the list as JSON");
    command->footer(kControlFooter);
    command->callback([options, &code] { code = runControl(*options); });
}

} // namespace riffle::cli
