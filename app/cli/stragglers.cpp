// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/printed_tables.h"
#include "model/analysis/ranks/straggler_tables.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle::cli {

namespace {

struct StragglerOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    TablesOptions tables{.views = {"parts", "steps"}, .unit = {}};
};

int runStragglers(StragglerOptions &options)
{
    if (!options.tables.checkViews(wordsOf(stragglerViews())))
        return Usage;
    int code = Good;
    InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(opened.traces));
    const MatchedSet matched(facts);
    const StragglerSet stragglers(matched);
    std::vector<ResultTable> tables;
    for (const std::string &word : options.tables.views)
        tables.push_back(stragglerTable(*findStragglerView(word), stragglers));
    const std::vector<std::string> sentences = stragglerSentences(stragglers);
    printTables(tables, options.tables, &sentences);
    flushOutput();
    opened.store();
    return codeAfterAnswer(facts.set(), code);
}

} // namespace

void addStragglersCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<StragglerOptions>();
    CLI::App *command = app.add_subcommand(
        "stragglers", "Say which rank the others wait for, what it costs, and what the steps would take without it");
    CLI::Option *paths =
        command->add_option("TRACE", options->paths, "Traces, each of one rank of the same job, or their folder")
            ->required();
    addLogdirOption(*command, paths);
    options->tables.addTo(*command, wordsOf(stragglerViews()));
    options->open.addTo(*command, "--range");
    command->footer(
        "\nEach step is that of the slowest rank, from the end of one step's device work to the end of the next "
        "one's.\n"
        "From its end, the calls that held it up are followed back: the rank that came last waited for nobody, so its\n"
        "call is the shortest and the way goes on there. The own times on this way, the transfers, and what cannot be\n"
        "told sum to the step, to the nanosecond. Only durations count, so the ranks need no common clock. A rank is\n"
        "named only if it has at least 80 % of what the others wait, and they wait for at least 2 % of the steps.\n"
        "\nExamples:\n"
        "  riffle-cli stragglers /data/run1\n"
        "  riffle-cli stragglers rank*.json.gz --view steps --format csv\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Ranks, options->open, code))
            code = worseOf(code, runStragglers(*options));
    });
}

} // namespace riffle::cli
