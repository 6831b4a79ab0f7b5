// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/record_end.h"
#include "app/cli/record_help.h"

#include "collector/client/detached.h"
#include "collector/client/environment.h"
#include "collector/client/job.h"
#include "collector/client/kineto_daemon.h"
#include "collector/client/kineto_request.h"
#include "collector/client/kineto_traces.h"
#include "collector/client/log_summary.h"
#include "collector/client/rendezvous.h"
#include "model/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace riffle::cli {

namespace {

using record::Settings;

struct RecordOptions {
    Settings settings;
    std::string program, ranks, steps, schedule, maxSize, slowStep, memoryHistory, stacks;
};

constexpr int kGraceSeconds = 10; ///< time that a job gets to exit before it is killed

/// The number of a signal that --dump-signal accepts; 0 for any other text, such as an empty one.
int numberOf(std::string_view signal)
{
    return signal == "HUP"    ? SIGHUP
           : signal == "QUIT" ? SIGQUIT
           : signal == "USR1" ? SIGUSR1
           : signal == "USR2" ? SIGUSR2
                              : 0;
}

const char *variable(const char *name) { return std::getenv(name); }

/// Prints a message to stderr, because stdout belongs to the job.
template <typename... Values>
void say(fmt::format_string<Values...> format, Values &&...values)
{
    sayLine("riffle: " + fmt::format(format, std::forward<Values>(values)...));
}

int wrongRecordUsage(const std::string &sentence)
{
    fmt::print(stderr, "record: {}\nRun with --help for more information.\n", sentence);
    return Usage;
}

/// Parses the options that are still text into the settings. Returns an error message, or an empty text on success.
std::string complete(RecordOptions &options)
{
    Settings &settings = options.settings;
    std::string error;
    if (!options.ranks.empty()) {
        const auto ranks = record::parseRanks(options.ranks, error);
        if (!ranks)
            return "--ranks: " + error;
        settings.ranks = *ranks;
    }
    if (!options.steps.empty() || !options.schedule.empty()) {
        const bool steps = !options.steps.empty();
        settings.schedule =
            steps ? record::parseSteps(options.steps, error) : record::parseSchedule(options.schedule, error);
        if (!settings.schedule)
            return (steps ? "--steps: " : "--schedule: ") + error;
    }
    if (!options.maxSize.empty()) {
        const auto bytes = parseBytes(options.maxSize);
        if (!bytes)
            return "--max-size: Give a size such as 500M or 4G.";
        settings.maxBytes = *bytes;
    }
    if (!options.slowStep.empty()) {
        settings.dumpSlowStep = record::parseSlowStep(options.slowStep, error);
        if (!settings.dumpSlowStep)
            return "--dump-slow-step: " + error;
    }
    if (!options.memoryHistory.empty()) {
        const auto entries = record::parseMemoryHistory(options.memoryHistory, error);
        if (!entries)
            return "--memory-history: " + error;
        settings.memoryHistory = *entries;
    }
    if (!options.stacks.empty()) {
        const auto way = stacksWayOf(options.stacks);
        if (!way)
            return std::string("--stacks: Give ") + kStacksWays + ".";
        settings.stacks = *way;
    }
    if (settings.stepMark.find_first_of(";\n") != std::string::npos)
        return "--step-mark: The name must not contain ';' or line breaks.";
    if (settings.exitAfter && !settings.ends() && !(settings.kineto && !settings.schedule))
        return "--exit-after: The recording must have an end. Set --steps, --schedule with repeat, --time-limit, or "
               "--kineto.";
    std::error_code failure;
    settings.folder =
        (std::filesystem::absolute(settings.folder, failure) / "").lexically_normal().parent_path().string();
    if (settings.folder.find_first_of(";\n") != std::string::npos)
        return "--output: The path of the folder must not contain ';' or line breaks.";
    if (settings.command.empty())
        return "The command to run is missing: riffle-cli record [OPTIONS] -- COMMAND [ARGUMENT…]";
    return settings.kineto ? record::kinetoObjection(settings) : std::string();
}

std::string phrase(const Settings &settings)
{
    const std::string when = settings.insteadOfTorchProfiler ? "what the program asks torch.profiler for"
                             : !settings.schedule            ? "everything"
                             : settings.schedule->ends()
                                 ? "steps by schedule (" + settings.schedule->text() + ")"
                                 : "steps by schedule, without an end (" + settings.schedule->text() + ")";
    std::string text = when + ", preset " + settings.preset;
    if (settings.shapes)
        text += ", shapes";
    if (settings.modules)
        text += ", modules";
    if (settings.stacks != StacksWay::None)
        text += fmt::format(", Python stacks ({})", nameOf(settings.stacks));
    if (!settings.compiledObserver.empty())
        text += ", operators by a compiled observer";
    if (settings.memoryHistory)
        text += ", memory history";
    if (settings.kineto)
        text += settings.schedule ? ", GPU by Kineto" : fmt::format(", GPU by Kineto for {} s", settings.kinetoSeconds);
    if (settings.keepSeconds)
        text += fmt::format(", keeping the last {} s", settings.keepSeconds);
    if (settings.timeLimit)
        text += fmt::format(", for {} s", settings.timeLimit);
    if (settings.maxBytes)
        text += ", up to " + formatBytes(static_cast<int64_t>(settings.maxBytes)) + " per process";
    if (!settings.ranks.empty())
        text += fmt::format(", {} rank{}", settings.ranks.size(), settings.ranks.size() == 1 ? "" : "s");
    return text;
}

/// True if a launcher gave this process a rank that --ranks excludes, so that its job is not recorded unless
/// riffle-cli control starts it.
bool isLeftOut(const Settings &settings)
{
    const auto rank = record::rankFromEnvironment(variable);
    return rank && !settings.ranks.empty() &&
           std::find(settings.ranks.begin(), settings.ranks.end(), *rank) == settings.ranks.end();
}

void printSummary(const std::vector<std::string> &logs, const record::Rendezvous &rendezvous, const Settings &settings,
                  bool hasPython)
{
    int64_t steps = 0;
    for (const auto &process : rendezvous.processes())
        steps = std::max(steps, process.steps);
    bool failed = false;
    for (const auto &process : rendezvous.processes())
        if (!process.error.empty()) {
            say("Process {}: {}", process.pid, process.error);
            failed = true;
        }
    if (logs.empty() && (settings.kineto || failed))
        return;
    if (logs.empty()) {
        if (settings.insteadOfTorchProfiler)
            return say("Nothing was recorded: no process of the job started a profile of torch.profiler.");
        say("Nothing was recorded: no process of the job used CUDA, NVTX{}",
            hasPython ? ", PyTorch, an optimizer of Paddle or the package riffle_profiler."
                      : " or the package riffle_profiler. To record PyTorch, install Riffle's Python package.");
        return;
    }
    if (steps == 0 && !settings.insteadOfTorchProfiler)
        say("No steps were seen, so {}",
            settings.schedule
                ? "the job never reached the steps to record. Steps come from the optimizers of PyTorch and Paddle, "
                  "the package riffle_profiler or --step-mark."
                : "the recording is by time only.");
    printLogs(logs);
}

/// Reports Kineto's traces that were written, and adds the complete ones to the recorded files.
void tell(const std::vector<record::KinetoTraces::Trace> &traces, bool quiet, RecordedFiles &files)
{
    for (const auto &trace : traces) {
        if (trace.whole)
            files.traces.push_back(trace.path);
        if (!quiet || !trace.whole)
            say("{}Kineto's trace is {} ({}).{}", trace.rank ? fmt::format("rank {}: ", *trace.rank) : "", trace.path,
                formatBytes(static_cast<int64_t>(trace.bytes)),
                trace.whole ? "" : " Its end is missing; the disk may be full.");
    }
}

/// Reports what was recorded when the job has ended.
void reportEnd(RecordedFiles &files, const record::Rendezvous &rendezvous, const Settings &settings, bool hasPython)
{
    if (!settings.quiet) {
        printSummary(files.logs, rendezvous, settings, hasPython);
        printExported(rendezvous.exported());
        printVerdict(files);
    }
    if (settings.open)
        openRecording(files);
}

int runRecorded(RecordOptions &options)
{
    if (const std::string wrong = complete(options); !wrong.empty())
        return wrongRecordUsage(wrong);
    const Settings &settings = options.settings;
    record::Parts parts;
    std::string error;
    if (!record::findParts(record::programFolder(), variable, parts, error)) {
        say("{}", error);
        return Unreadable;
    }
    if (settings.insteadOfTorchProfiler && parts.python.empty()) {
        say("--instead-of-torch-profiler needs Riffle's Python part, which is not installed.");
        return Unreadable;
    }
    std::error_code failure;
    std::filesystem::create_directories(settings.folder, failure);
    if (failure) {
        say("The folder {} could not be created: {}.", settings.folder, failure.message());
        return Unreadable;
    }
    const record::Rendezvous rendezvous;
    record::KinetoDaemon daemon;
    if (settings.kineto && !daemon.start(rendezvous.folder(), error)) {
        say("{}", error);
        return Unreadable;
    }
    record::KinetoTraces kineto(settings, rendezvous, daemon);
    // A rank that is left out can be started from outside, but no trace may be requested from its Kineto.
    record::Environment environment;
    if (!isLeftOut(settings) || !settings.kineto)
        environment = record::jobEnvironment(settings, parts, rendezvous.folder(), variable);
    if (!settings.quiet) {
        isLeftOut(settings) ? say("This rank is left out; riffle-cli control start can start it.")
                            : say("Recording {}; output folder {}", phrase(settings), settings.folder);
        for (const std::string &note : environment.notes)
            say("{}", note);
    }
    // Only a try: the job's own processes compile it, too, if it is not there when they need it.
    if (const auto compiler = record::observerCommand(settings, parts); !compiler.empty() && !isLeftOut(settings))
        record::startDetached(compiler);
    const auto before = record::logsIn(settings.folder);
    RecordedFiles files;
    const auto isDone = [&] {
        if (settings.kineto)
            tell(kineto.update(), settings.quiet, files);
        return settings.exitAfter && (!settings.ends() || rendezvous.allDone()) &&
               (!settings.kineto || kineto.allWritten());
    };
    // The dump signal would kill processes without a handler for it, such as launchers, ranks that are not recorded and
    // processes that have not started recording yet. Therefore, runJob() starts the job with this signal ignored.
    const record::JobEnd end =
        record::runJob(settings.command, environment.set, isDone, kGraceSeconds, numberOf(settings.dumpSignal));
    std::signal(SIGPIPE, SIG_IGN); // whoever reads stderr may be gone, but the job's exit code is still ours
    if (!end.error.empty()) {
        say("{}", end.error);
        return end.code;
    }
    if (settings.kineto && !isLeftOut(settings)) {
        tell(kineto.update(), settings.quiet, files);
        for (const std::string &sentence : kineto.missing())
            say("{}", sentence);
    }
    files.logs = record::newLogs(before, record::logsIn(settings.folder));
    if (!isLeftOut(settings) || !files.logs.empty())
        reportEnd(files, rendezvous, settings, !parts.python.empty());
    return end.ended ? Good : end.code;
}

} // namespace

void addRecordCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<RecordOptions>();
    Settings &settings = options->settings;
    const CLI::Validator given(
        [](const std::string &text) { return std::string(text.empty() ? "The value must not be empty." : ""); }, "");
    CLI::App *command = app.add_subcommand(
        "record", "Run a command and record it: riffle-cli record [OPTIONS] -- COMMAND [ARGUMENT...]");
    auto *preset =
        command->add_option("--preset", settings.preset, "What to record; the default is light with --kineto")
            ->check(CLI::IsMember({"light", "normal", "memory"}))
            ->capture_default_str();
    command
        ->add_option("-o,--output", settings.folder,
                     "Folder for the logs, created if necessary (default: the current folder)")
        ->type_name("DIR")
        ->check(given);
    command->add_option("--keep", settings.keepSeconds, "Flight recorder: keep only the last S seconds")
        ->type_name("S")
        ->check(CLI::Range(1, 7 * 24 * 3600));
    command
        ->add_option("--max-size", options->maxSize,
                     "Stop recording a process when its log reaches this size (500M, 4G)")
        ->type_name("BYTES")
        ->check(given);
    command
        ->add_option("--ranks", options->ranks,
                     "Record only these ranks, for example 0,1,8-15; riffle-cli control can start the others later")
        ->type_name("LIST")
        ->check(given);
    auto *steps =
        command->add_option("--steps", options->steps, "Record steps A to B-1")->type_name("A:B")->check(given);
    auto *schedule = command
                         ->add_option("--schedule", options->schedule,
                                      "Record like torch.profiler.schedule: "
                                      "wait=W,warmup=U,active=A[,repeat=R][,skip_first=S][,skip_first_wait=1]")
                         ->type_name("SETTINGS")
                         ->check(given)
                         ->excludes(steps);
    auto *stepMark =
        command
            ->add_option(
                "--step-mark", settings.stepMark,
                "A range with this name (from NVTX, record_function or riffle), plain or as NAME#12, starts a step")
            ->type_name("NAME")
            ->check(given);
    command->add_option("--time-limit", settings.timeLimit, "Stop recording after S seconds")
        ->type_name("S")
        ->check(CLI::Range(1, 7 * 24 * 3600));
    command
        ->add_option("--dump-signal", settings.dumpSignal,
                     "Write a dump of what is recorded when a process gets this signal")
        ->check(CLI::IsMember({"HUP", "QUIT", "USR1", "USR2"}));
    command
        ->add_option("--dump-slow-step", options->slowStep,
                     "Write a dump after a slow step: longer than 250ms, or than 2.5x the median, for example")
        ->type_name("LIMIT")
        ->check(given);
    command->add_flag("--shapes,--flops", settings.shapes,
                      "Also record the shapes of operators' inputs, from which FLOPs are counted; costs some "
                      "microseconds per operator");
    command->add_flag(
        "--stacks{operators}", options->stacks,
        "Also record Python stacks (CPython 3.10 to 3.13): those of each outermost operator, or with "
        "--stacks=sampled those of all threads at regular times, or with --stacks=calls every Python call");
    command
        ->add_flag("--compiled-observer{1}", settings.compiledObserver,
                   "Compile an observer for PyTorch's operators on this machine: it costs less, and with --shapes also "
                   "gives types, strides and values of inputs; --compiled-observer=any: also for a PyTorch that Riffle "
                   "is not tested with")
        ->check(CLI::IsMember({"1", "any"}));
    command->add_flag("--modules", settings.modules, "Also record the forward calls of torch.nn modules, as ranges");
    command->add_flag("--memory-history{100000}", options->memoryHistory,
                      "Keep PyTorch's last N allocations and frees on the GPU, 100000 if no number is given, and write "
                      "them as a snapshot at the end");
    command->add_flag("--on-oom", settings.onOom,
                      "When memory runs out, leave a folder with a snapshot, the log and the failing line");
    auto *kineto = command->add_flag(
        "--kineto", settings.kineto,
        "Record the GPU and the operators with PyTorch's own profiler, which writes its trace into DIR");
    command
        ->add_option("--kineto-seconds", settings.kinetoSeconds,
                     "How many seconds Kineto records if no steps are chosen")
        ->type_name("S")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str()
        ->needs(kineto)
        ->excludes(steps, schedule);
    command
        ->add_flag("--instead-of-torch-profiler", settings.insteadOfTorchProfiler,
                   "Record what the program's own torch.profiler.profile asks for, in its place")
        ->excludes(steps, schedule, stepMark, kineto);
    command->add_flag("--exit-after", settings.exitAfter,
                      "End the job once the steps, the cycles, the time or Kineto's trace are recorded");
    command->add_flag("--open", settings.open, "Open the recording in Riffle's window when the job has ended");
    command->add_flag("-q,--quiet", settings.quiet, "Print only errors");
    command->footer(kRecordFooter);
    // The program is a separate positional option, so that CLI11 accepts a '--' before it. Everything after it is
    // passed on unchanged.
    command->add_option("COMMAND", options->program, "The command to run, and its arguments")->type_name("");
    command->prefix_command();
    command->callback([options, command, preset, &code] {
        if (options->settings.kineto && preset->empty())
            options->settings.preset = "light";
        std::vector<std::string> words = command->remaining();
        const bool marked = !words.empty() && words.front() == "--";
        if (marked)
            words.erase(words.begin());
        else if (!words.empty() && words.front().starts_with('-')) {
            code = wrongRecordUsage("There is no option " + words.front() +
                                    ". If it belongs to the command, put -- before the command.");
            return;
        }
        if (!options->program.empty())
            words.insert(words.begin(), options->program);
        options->settings.command = std::move(words);
        code = runRecorded(*options);
    });
}

} // namespace riffle::cli
