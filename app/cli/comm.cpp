// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/printed_tables.h"
#include "model/analysis/ranks/match_tables.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle::cli {

namespace {

struct MatchOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    TablesOptions tables{.views = {"groups", "unmatched"}, .unit = {}};
};

int runComm(MatchOptions &options)
{
    if (!options.tables.checkViews(wordsOf(matchViews())))
        return Usage;
    int code = Good;
    InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(opened.traces));
    const MatchedSet matched(facts);
    std::vector<ResultTable> tables;
    for (const std::string &word : options.tables.views)
        tables.push_back(matchTable(*findMatchView(word), matched));
    printTables(tables, options.tables);
    flushOutput();
    opened.store();
    return codeAfterAnswer(facts.set(), code);
}

} // namespace

void addCommCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<MatchOptions>();
    CLI::App *command = app.add_subcommand(
        "comm",
        "Match the collectives, sends and receives of several ranks: which calls belong together, and how sure");
    CLI::Option *paths =
        command->add_option("TRACE", options->paths, "Traces, each of one rank of the same job, or their folder")
            ->required();
    addLogdirOption(*command, paths);
    options->tables.addTo(*command, wordsOf(matchViews()));
    options->open.addTo(*command, "--range");
    command->footer("\nA group is known by its communicator's id or its ranks, never by its name. In it, equal "
                    "sequence numbers (Seq)\n"
                    "match. Without them, calls match that ran at the same time under the one offset of the clocks "
                    "that explains all\n"
                    "calls, also if the recordings begin and end at different times or lack calls. Such a match is "
                    "likely; if another\n"
                    "one is nearly as good, or the calls differ in kind, type or size, it is ambiguous. Sends and "
                    "receives match per\n"
                    "sender and receiver. The view clocks shows how far the clocks of the ranks differ: the bound is "
                    "what causality\n"
                    "allows, the uncertainty is how well the ends of collectives agree.\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Ranks, options->open, code))
            code = worseOf(code, runComm(*options));
    });
}

} // namespace riffle::cli
