// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/summary/checks.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

struct CheckOptions {
    std::string path;
    StepOptions steps;
    std::vector<std::string> most, least;
    OpenOptions open;
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

int runCheck(CheckOptions options)
{
    const Result<std::vector<Check>> checks = checksOf(options);
    if (!checks) {
        complain(checks.error().text());
        return Usage;
    }
    const Result<ScopeRequest> scope = options.steps.take(options.open);
    if (!scope) {
        complain(scope.error().text());
        return Usage;
    }
    int code = Good;
    const InputTraces opened = openTraces({options.path}, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(opened.traces));
    if (const Result<void> found = options.steps.find(facts, *scope); !found) {
        complain(found.error().text());
        return Usage;
    }
    CheckRunner runner(facts, *scope);
    bool allHold = true;
    std::string lines;
    for (const Check &check : *checks) {
        const Result<CheckOutcome> outcome = runner.run(check);
        if (!outcome) {
            complain(outcome.error().text());
            return Usage;
        }
        lines += fmt::format("{:<6} {}  {}  {}\n", outcome->holds ? "ok" : "FAILED", check.metric, outcome->value,
                             check.limitText);
        allHold &= outcome->holds;
    }
    fmt::print("{}", lines);
    flushOutput();
    opened.store();
    return codeAfterAnswer(facts.set(), allHold ? code : CheckFailed);
}

} // namespace

void addCheckCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App *command =
        app.add_subcommand("check", "Compare figures of a trace with bounds, for performance regression tests");
    command->add_option("TRACE", options->path, "A trace file: Chrome JSON, plain, gzip or zstd; or a collector log")
        ->required();
    command->add_option("--max", options->most, "An upper bound of a figure, for example 'idle<=10%'; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--min", options->least,
                     "A lower bound of a figure, for example 'utilization>=80%'; may be repeated")
        ->allow_extra_args(false);
    options->steps.addTo(*command);
    options->open.addTo(*command, "--range");
    command->footer(
        "\nA check consists of a figure, one of <= < >= > ==, and a bound with its unit: ns, us, ms, s or min for "
        "times, % for\n"
        "shares, none for numbers. The figures are:\n"
        "  steps.mean, .median, .min, .max, .sum    of the durations of the steps that ended\n"
        "  steps.COLUMN.mean …                      of a column of summary --view steps: steps.communication.max\n"
        "  steps.count                              the number of steps that ended\n"
        "  VIEW.COLUMN.mean …, VIEW.count           of any other view of summary: kernels.calls.sum, operators.count\n"
        "  findings.errors, .warnings, .hints       the number of each in summary --view findings\n"
        "  utilization, busy, idle, compute, communication, exposed_communication, overlap, memcpy, exposed_memcpy,\n"
        "  memset, sm_efficiency, occupancy, tensor_cores, tensor_cores_unknown\n"
        "                                           of a device, as in summary --view overview, for the worst "
        "device\n"
        "  step.NAME, idle.NAME, launches.NAME, trace.NAME\n"
        "                                           the other figures of the overview: step.kernel, idle.dataloader,\n"
        "                                           launches.slow_launches, launches.delay_median\n"
        "Prints one line per check: ok or FAILED, figure, value, bound. A check fails if the trace did not record the "
        "figure.\n"
        "The exit code is 5 if a check failed, 2 if a figure does not exist, and otherwise the same as for all "
        "commands.\n"
        "\nExample:\n"
        "  riffle-cli check trace.json.gz --max 'steps.mean<=250ms' --max 'idle<=10%' --min 'utilization>=85%'\n");
    command->callback([options, &code] { code = runCheck(*options); });
}

} // namespace riffle::cli
