// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/memory/snapshot_opening.h"
#include "app/cli/output.h"
#include "model/analysis/memory/snapshot_checks.h"
#include "model/analysis/summary/checks.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

struct CheckOptions {
    std::vector<std::string> paths;
    StepOptions steps;
    std::vector<std::string> most, least;
    OpenOptions open;
    SnapshotChecks::Devices devices;

    /// The first option that was given and applies to traces only; null if there is none.
    const char *traceOption() const
    {
        return !steps.mark.empty() ? "--step-mark" : steps.withoutFirst ? "--without-first-step" : open.traceOption();
    }
    const char *snapshotOption() const { return devices.number ? "--device" : devices.host ? "--host" : nullptr; }
};

/// Parses the checks of --max, which are upper bounds, and of --min, which are lower bounds.
Result<std::vector<Check>> checksOf(const CheckOptions &options)
{
    using Compare = Check::Compare;
    std::vector<Check> checks;
    for (const bool most : {true, false})
        for (const std::string &text : most ? options.most : options.least) {
            Result<Check> check = parseCheck(text);
            if (!check)
                return check.error();
            const bool upper = check->compare == Compare::AtMost || check->compare == Compare::Below;
            if (check->compare != Compare::Equal && upper != most)
                return Error{fmt::format("'{}' needs {}", text,
                                         most ? "<=, < or == when it is given to --max."
                                              : ">=, > or == when it is given to --min."),
                             {},
                             std::nullopt};
            checks.push_back(std::move(*check));
        }
    if (checks.empty())
        return Error{"There is nothing to check. Give at least one check with --max or --min.", {}, std::nullopt};
    return checks;
}

int usageError(const std::string &message)
{
    complain(message);
    return Usage;
}

/// Prints one line per check. Returns `code`, or CheckFailed if a check failed.
int printOutcomes(const std::vector<Check> &checks, const std::vector<CheckOutcome> &outcomes, int code)
{
    for (size_t at = 0; at < checks.size(); ++at) {
        fmt::print("{:<6} {}  {}  {}\n", outcomes[at].holds ? "ok" : "FAILED", checks[at].metric,
                   shownText(outcomes[at].value), checks[at].limitText);
        code = outcomes[at].holds ? code : CheckFailed;
    }
    flushOutput();
    return code;
}

int checkTrace(const std::vector<Check> &checks, CheckOptions options)
{
    if (options.paths.size() > 1)
        return usageError("Several traces cannot be checked together. Check one trace at a time.");
    const Result<ScopeRequest> scope = options.steps.take(options.open);
    if (!scope)
        return usageError(scope.error().text());
    int code = Good;
    const InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    if (const char *option = options.snapshotOption()) // a file that does not exist may have been meant as a snapshot
        return usageError(std::string(option) + " is for memory snapshots.");
    const SetFacts facts(TraceSet::of(opened.traces));
    if (const Result<void> found = options.steps.find(facts, *scope); !found)
        return usageError(found.error().text());
    CheckRunner runner(facts, *scope);
    std::vector<CheckOutcome> outcomes;
    for (const Check &check : checks) {
        const Result<CheckOutcome> outcome = runner.run(check);
        if (!outcome)
            return usageError(outcome.error().text());
        outcomes.push_back(*outcome);
    }
    code = printOutcomes(checks, outcomes, code);
    opened.store();
    return codeAfterAnswer(facts.set(), code);
}

int checkSnapshots(const std::vector<Check> &checks, const CheckOptions &options)
{
    if (const char *option = options.traceOption())
        return usageError(std::string(option) + " is for traces. Snapshots are always read as a whole.");
    if (const Result<void> known = SnapshotChecks::areFigures(checks); !known)
        return usageError(known.error().text());
    SnapshotChecks judged(checks, options.devices);
    int code = Good;
    OpenedFacts opened;
    for (const std::string &path : options.paths) {
        code = opened.finish(code);
        if (code == Unreadable)
            return code;
        opened = {}; // so that only one snapshot is in memory at a time
        opened = openSnapshot(path, {options.open.noStore, options.open.storeLimit}, code);
        if (!opened.facts)
            return code;
        if (const Result<void> added = judged.add(*opened.facts); !added)
            return usageError(added.error().text());
    }
    return opened.finish(printOutcomes(checks, judged.outcomes(), code));
}

int runCheck(const CheckOptions &options)
{
    const Result<std::vector<Check>> checks = checksOf(options);
    if (!checks)
        return usageError(checks.error().text());
    const Result<FileKind> kind = kindOfFiles(options.paths);
    if (!kind)
        return usageError(kind.error().text());
    return *kind == FileKind::Snapshot ? checkSnapshots(*checks, options) : checkTrace(*checks, options);
}

/// The figures of snapshots with their meanings, for the help text.
std::string figureLines()
{
    std::string lines;
    for (const SnapshotFigure &figure : snapshotFigures())
        lines += fmt::format("  {:<23}{}\n", figure.name, figure.meaning);
    return lines;
}

} // namespace

void addCheckCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App *command = app.add_subcommand(
        "check", "Compare figures of a trace or of memory snapshots with bounds, for regression tests");
    CLI::Option *paths =
        command
            ->add_option(
                "FILE", options->paths,
                "A trace file: Chrome JSON, plain, gzip or zstd; or a collector log. Or memory snapshots (several "
                "are the ranks of one job)")
            ->required();
    addLogdirOption(*command, paths);
    command->add_option("--max", options->most, "An upper bound of a figure, for example 'idle<=10%'; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--min", options->least,
                     "A lower bound of a figure, for example 'utilization>=80%'; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--device", options->devices.number, "For snapshots: only the device with this number");
    command->add_flag("--host", options->devices.host, "For snapshots: the pinned memory of the host instead");
    options->steps.addTo(*command);
    options->open.addTo(*command, "--range");
    command->footer(
        std::string(
            "\nA check consists of a figure, one of <= < >= > ==, and a bound with its unit: ns, us, ms, s or min for "
            "times, % for\n"
            "shares, B, KB, MB, GB, TB, KiB … for sizes (powers of 1024), none for numbers. The figures of a trace "
            "are:\n"
            "  steps.mean, .median, .min, .max, .sum    of the durations of the steps that ended\n"
            "  steps.COLUMN.mean …                      of a column of summary --view steps: steps.communication.max\n"
            "  steps.count                              the number of steps that ended\n"
            "  VIEW.COLUMN.mean …, VIEW.count           of any other view of summary: kernels.calls.sum, "
            "operators.count\n"
            "  findings.errors, .warnings, .hints       the number of each in summary --view findings\n"
            "  utilization, busy, idle, compute, communication, exposed_communication, overlap, memcpy, "
            "exposed_memcpy,\n"
            "  memset, sm_efficiency, occupancy, tensor_cores, tensor_cores_unknown\n"
            "                                           of a device, as in summary --view overview, for the worst "
            "device\n"
            "  step.NAME, idle.NAME, launches.NAME, trace.NAME\n"
            "                                           the other figures of the overview: step.kernel, "
            "idle.dataloader,\n"
            "                                           launches.slow_launches, launches.delay_median\n"
            "The figures of a snapshot are (the worst device counts):\n") +
        figureLines() +
        "Prints one line per check: ok or FAILED, figure, value, bound. A check fails if the file did not record the "
        "figure, or if a snapshot is cut\n"
        "off before its history and its final state are complete.\n"
        "The exit code is 5 if a check failed, 2 if a figure does not exist, and otherwise the same as for all "
        "commands.\n"
        "\nExamples:\n"
        "  riffle-cli check trace.json.gz --max 'steps.mean<=250ms' --max 'idle<=10%' --min 'utilization>=85%'\n"
        "  riffle-cli check snapshot.pickle --max 'memory.peak<=70GiB' --max 'memory.growth<=100MB' --max "
        "'memory.oom==0'\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::OneKind, options->open, code))
            code = worseOf(code, runCheck(*options));
    });
}

} // namespace riffle::cli
