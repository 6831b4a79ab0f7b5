// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/verdict.h"
#include "app/cli/command.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace riffle::cli {

namespace {

struct VerdictOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    bool onStderr = false;
};

int runVerdict(const VerdictOptions &options)
{
    int code = Good;
    InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(std::move(opened.traces)));
    std::string text;
    for (const std::string &line : verdictOf(facts))
        text += shownText(line) + "\n";
    fmt::print(options.onStderr ? stderr : stdout, "{}", text);
    opened.store();
    return codeAfterAnswer(facts.set(), code);
}

} // namespace

void addVerdictCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<VerdictOptions>();
    CLI::App *command = app.add_subcommand(
        "verdict", "Say in a few lines how a run went: its steps, how busy the devices were, and the first findings");
    CLI::Option *paths =
        command->add_option("TRACE", options->paths, "Traces; several are the ranks of one job")->required();
    addLogdirOption(*command, paths);
    command->add_flag("--stderr", options->onStderr, "Print to stderr instead of stdout");
    options->open.addTo(*command, "--range");
    command->footer("\nThe first step is left out of the median and the slowest step if it is far longer than the "
                    "others.\nriffle record prints the verdict of its logs when the job has ended. For all findings, "
                    "use summary --view findings.\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Traces, options->open, code))
            code = worseOf(code, runVerdict(*options));
    });
}

} // namespace riffle::cli
