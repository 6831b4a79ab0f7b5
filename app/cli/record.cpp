// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

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
    std::string program, ranks, steps, schedule, maxSize, slowStep;
};

constexpr int kGraceSeconds = 10; ///< for a job that is ended

/// Of a signal that --dump-signal takes; 0 for none.
int numberOf(std::string_view signal)
{
    return signal == "HUP"    ? SIGHUP
           : signal == "QUIT" ? SIGQUIT
           : signal == "USR1" ? SIGUSR1
           : signal == "USR2" ? SIGUSR2
                              : 0;
}

const char *variable(const char *name) { return std::getenv(name); }

/// What record says goes to stderr: stdout belongs to the job.
template <typename... Values>
void say(fmt::format_string<Values...> format, Values &&...values)
{
    fmt::print(stderr, "riffle: {}\n", fmt::format(format, std::forward<Values>(values)...));
}

int wrongRecordUsage(const std::string &sentence)
{
    fmt::print(stderr, "record: {}\nRun with --help for more information.\n", sentence);
    return Usage;
}

/// Reads what options spell as text; the sentence for what is wrong, else empty.
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
            return "--max-size: a size such as 500M or 4G";
        settings.maxBytes = *bytes;
    }
    if (!options.slowStep.empty()) {
        settings.dumpSlowStep = record::parseSlowStep(options.slowStep, error);
        if (!settings.dumpSlowStep)
            return "--dump-slow-step: " + error;
    }
    if (settings.stepMark.find_first_of(";\n") != std::string::npos)
        return "--step-mark: a name without ';' and line breaks";
    if (settings.exitAfter && !settings.ends() && !(settings.kineto && !settings.schedule))
        return "--exit-after needs an end: --steps, --schedule with repeat, --time-limit, or --kineto";
    std::error_code failure;
    settings.folder =
        (std::filesystem::absolute(settings.folder, failure) / "").lexically_normal().parent_path().string();
    if (settings.folder.find_first_of(";\n") != std::string::npos)
        return "--output: a folder without ';' and line breaks";
    if (settings.command.empty())
        return "what is to be run? riffle-cli record [OPTIONS] -- COMMAND [ARGUMENT…]";
    return settings.kineto ? record::kinetoObjection(settings) : std::string();
}

std::string phrase(const Settings &settings)
{
    const std::string when = !settings.schedule ? "everything"
                             : settings.schedule->ends()
                                 ? "steps by schedule (" + settings.schedule->text() + ")"
                                 : "steps by schedule, for ever (" + settings.schedule->text() + ")";
    std::string text = when + ", preset " + settings.preset;
    if (settings.shapes)
        text += ", shapes";
    if (settings.kineto)
        text += settings.schedule ? ", the GPU by Kineto"
                                  : fmt::format(", the GPU by Kineto for {} s", settings.kinetoSeconds);
    if (settings.keepSeconds)
        text += fmt::format(", the last {} s are kept", settings.keepSeconds);
    if (settings.timeLimit)
        text += fmt::format(", for {} s", settings.timeLimit);
    if (settings.maxBytes)
        text += ", up to " + formatBytes(static_cast<int64_t>(settings.maxBytes)) + " per process";
    if (!settings.ranks.empty())
        text += fmt::format(", {} rank{}", settings.ranks.size(), settings.ranks.size() == 1 ? "" : "s");
    return text;
}

/// Whether nothing of this process will be recorded: its launcher gave it a rank before we came.
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
    if (logs.empty() && settings.kineto)
        return;
    if (logs.empty()) {
        say("nothing was recorded: no process of the job used CUDA, NVTX{}",
            hasPython ? ", PyTorch or the package riffle"
                      : " or the package riffle; Riffle's Python part, which PyTorch needs, is not installed");
        return;
    }
    if (steps == 0)
        say("no steps were seen: {}",
            settings.schedule ? "what a schedule names was never reached; steps come from PyTorch's optimizers, "
                                "the package riffle or --step-mark"
                              : "the recording is by time only");
    fmt::print(stderr, "\n{:>12} {:>12} {:>10}  {}\n", "SIZE", "EVENTS", "DROPPED", "LOG");
    for (const std::string &path : logs) {
        const record::LogSummary log = record::summarize(path);
        const char *note = log.damaged  ? "  (cut: the process was killed)"
                           : log.closed ? ""
                           : path.find("_dump") != std::string::npos
                               ? "  (a dump)"
                               : "  (not closed: the process was killed or still runs)";
        fmt::print(stderr, "{:>12} {:>12} {:>10}  {}{}\n", formatBytes(static_cast<int64_t>(log.bytes)),
                   formatCount(static_cast<int64_t>(log.events)), formatCount(static_cast<int64_t>(log.dropped)), path,
                   note);
    }
}

void tell(const std::vector<record::KinetoTraces::Trace> &traces, bool quiet)
{
    for (const auto &trace : traces)
        if (!quiet || !trace.whole)
            say("{}Kineto's trace: {}, {}{}", trace.rank ? fmt::format("rank {}: ", *trace.rank) : "", trace.path,
                formatBytes(static_cast<int64_t>(trace.bytes)),
                trace.whole ? "" : "; its end is missing, as when a disk is full");
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
    std::error_code failure;
    std::filesystem::create_directories(settings.folder, failure);
    if (failure) {
        say("{} cannot be made: {}", settings.folder, failure.message());
        return Unreadable;
    }
    const record::Rendezvous rendezvous;
    record::KinetoDaemon daemon;
    if (settings.kineto && !daemon.start(rendezvous.folder(), error)) {
        say("{}", error);
        return Unreadable;
    }
    record::KinetoTraces kineto(settings, rendezvous, daemon);
    record::Environment environment;
    if (!isLeftOut(settings))
        environment = record::jobEnvironment(settings, parts, rendezvous.folder(), variable);
    if (!settings.quiet) {
        isLeftOut(settings) ? say("this rank is not recorded")
                            : say("recording {}, into {}", phrase(settings), settings.folder);
        for (const std::string &note : environment.notes)
            say("{}", note);
    }
    const auto before = record::logsIn(settings.folder);
    const auto isDone = [&] {
        if (settings.kineto)
            tell(kineto.update(), settings.quiet);
        return settings.exitAfter && (!settings.ends() || rendezvous.allDone()) &&
               (!settings.kineto || kineto.allWritten());
    };
    // Without a handler it would end what does not record: launchers, other ranks, a process that has yet to begin.
    const record::JobEnd end =
        record::runJob(settings.command, environment.set, isDone, kGraceSeconds, numberOf(settings.dumpSignal));
    if (!end.error.empty()) {
        say("{}", end.error);
        return end.code;
    }
    if (settings.kineto && !isLeftOut(settings)) {
        tell(kineto.update(), settings.quiet);
        for (const std::string &sentence : kineto.missing())
            say("{}", sentence);
    }
    if (!settings.quiet && !isLeftOut(settings))
        printSummary(record::newLogs(before, record::logsIn(settings.folder)), rendezvous, settings,
                     !parts.python.empty());
    return end.ended ? Good : end.code;
}

constexpr const char *kRecordFooter = R"(
Every process of the job that uses CUDA, NVTX, PyTorch's operators or the Python package riffle writes a log of its
own into DIR: HOST_rankR_PID.rifflelog, written while the job runs, and readable after it was killed. Ranks are what
torchrun, DeepSpeed, Paddle, MPI or Slurm say. Nothing of the program has to be changed.

Presets:
  light    kernels, copies, launches, NVTX ranges and steps
  normal   also PyTorch's operators, driver calls, synchronisation
  memory   also allocations on the GPU

Steps are those of PyTorch's optimizers: a step ends when the first optimizer that was seen has stepped. A program can
mark its own with riffle_step(), or by ranges that --step-mark names. Without any the recording is by time, and says so.

With --keep the last seconds can be had while the job goes on: riffle-cli control dump, --dump-signal, --dump-slow-step.
What these two keep lies beside the log: HOST_rankR_PID_dump1.rifflelog, up to ten of them.

CUPTI has one owner per process. Without --kineto it is the collector; with it it is Kineto, and the log has no GPU but
ranges, steps and what the preset says. PyTorch is asked as dynolog asks it, after its first step: for the steps that
--steps or --schedule choose, or else for --kineto-seconds, then also when it has made no step for ten seconds.
Kineto counts the steps of every optimizer, polls once a second, and takes the next steps for those that are over by then.
Its traces are DIR/HOST_rankR_PID.json, one per cycle, there when they are complete, which takes some seconds more.

--dump-signal is for the processes that record, by their ids; launchers do not pass it on. The job's other processes ignore it
unless they handle it themselves, but for programs that a recording process starts: those it ends.

The command gets the signals INT, TERM, HUP, QUIT, USR1 and USR2 that record gets. An injection that another tool has
set in the environment (CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH) stays, and what is missed by that is said.

Exit codes: the command's own, 128 + N when signal N killed it, 127 when it was not found, 126 when it cannot be run;
0 when --exit-after ended it, with all that it had started; 1 the collector is missing or DIR cannot be made, 2 usage.

Environment: RIFFLE_COLLECTOR is the path of libriffle_collector.so, which is otherwise found beside this program.

Examples:
  riffle-cli record -- python train.py --batch 32
  riffle-cli record --steps 10:15 --exit-after -o traces -- torchrun --nproc-per-node 8 train.py
  riffle-cli record --schedule wait=8,warmup=1,active=3,repeat=2 --shapes -- python train.py
  riffle-cli record --kineto --steps 10:13 --shapes -o traces -- python train.py
  riffle-cli record --keep 60 --ranks 0,1 -- srun python train.py
  riffle-cli record --keep 20 --dump-slow-step 2.5x --step-mark train_step -- ./train
)";

} // namespace

void addRecordCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<RecordOptions>();
    Settings &settings = options->settings;
    const CLI::Validator given(
        [](const std::string &text) { return std::string(text.empty() ? "may not be empty" : ""); }, "");
    CLI::App *command = app.add_subcommand(
        "record", "Runs a command and records it: riffle-cli record [OPTIONS] -- COMMAND [ARGUMENT...]");
    auto *preset = command->add_option("--preset", settings.preset, "How much is recorded; with --kineto: light")
                       ->check(CLI::IsMember({"light", "normal", "memory"}))
                       ->capture_default_str();
    command->add_option("-o,--output", settings.folder, "Folder for the logs, made if need be (default: here)")
        ->type_name("DIR")
        ->check(given);
    command->add_option("--keep", settings.keepSeconds, "Flight recorder: only the last S seconds are kept")
        ->type_name("S")
        ->check(CLI::Range(1, 7 * 24 * 3600));
    command
        ->add_option("--max-size", options->maxSize, "Stop recording when a process's log has so many bytes (500M, 4G)")
        ->type_name("BYTES")
        ->check(given);
    command->add_option("--ranks", options->ranks, "Record these ranks only: 0,1,8-15")
        ->type_name("LIST")
        ->check(given);
    auto *steps =
        command->add_option("--steps", options->steps, "Record steps A to B-1")->type_name("A:B")->check(given);
    auto *schedule =
        command
            ->add_option(
                "--schedule", options->schedule,
                "As torch.profiler.schedule: wait=W,warmup=U,active=A[,repeat=R][,skip_first=S][,skip_first_wait=1]")
            ->type_name("SETTINGS")
            ->check(given)
            ->excludes(steps);
    command
        ->add_option("--step-mark", settings.stepMark,
                     "A range of this name (NVTX, record_function or riffle), alone or as NAME#12, begins a step")
        ->type_name("NAME")
        ->check(given);
    command->add_option("--time-limit", settings.timeLimit, "Stop recording after S seconds")
        ->type_name("S")
        ->check(CLI::Range(1, 7 * 24 * 3600));
    command
        ->add_option("--dump-signal", settings.dumpSignal,
                     "Keep what there is in a dump when a process gets this signal")
        ->check(CLI::IsMember({"HUP", "QUIT", "USR1", "USR2"}));
    command
        ->add_option("--dump-slow-step", options->slowStep,
                     "The same after a step of more than 250ms, or of 2.5x the median")
        ->type_name("LIMIT")
        ->check(given);
    command->add_flag("--shapes", settings.shapes,
                      "The shapes of operators' inputs, too; costs some microseconds per operator");
    auto *kineto = command->add_flag(
        "--kineto", settings.kineto,
        "The GPU and the operators are left to PyTorch's own profiler, which writes its trace into DIR");
    command->add_option("--kineto-seconds", settings.kinetoSeconds, "How much Kineto records where no steps are chosen")
        ->type_name("S")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str()
        ->needs(kineto)
        ->excludes(steps, schedule);
    command->add_flag("--exit-after", settings.exitAfter,
                      "End the job when the steps, the cycles, the time or Kineto's trace are recorded");
    command->add_flag("-q,--quiet", settings.quiet, "Say nothing but errors");
    command->footer(kRecordFooter);
    // The first word is an option of ours, so that CLI11 takes a '--' before it; all that follows is passed on as it
    // is.
    command->add_option("COMMAND", options->program, "What is run, and its arguments")->type_name("");
    command->prefix_command();
    command->callback([options, command, preset, &code] {
        if (options->settings.kineto && preset->empty())
            options->settings.preset = "light";
        std::vector<std::string> words = command->remaining();
        const bool marked = !words.empty() && words.front() == "--";
        if (marked)
            words.erase(words.begin());
        else if (!words.empty() && words.front().starts_with('-')) {
            code = wrongRecordUsage("there is no option " + words.front() +
                                    "; if it is the command's, put -- before the command");
            return;
        }
        if (!options->program.empty())
            words.insert(words.begin(), options->program);
        options->settings.command = std::move(words);
        code = runRecorded(*options);
    });
}

} // namespace riffle::cli
