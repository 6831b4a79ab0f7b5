// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/run/layout_text.h"
#include "model/ingest/gathering/gathered_files.h"
#include "model/ingest/gathering/run_files.h"
#include "model/trace/run/known_place.h"
#include "model/trace/run/rank_store.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

struct RunInfoOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    bool json = false;
    size_t limit = 64;
};

/// Replaces hints by facts that were kept when a trace was read.
void useKeptFacts(const GatheredFiles &found, std::vector<RunFile> &files)
{
    const StoreFolder stores;
    for (size_t at = 0; at < files.size(); ++at) {
        if (!files[at].why.empty() || (files[at].kind != RunFileKind::Trace && files[at].kind != RunFileKind::Log))
            continue;
        const auto identity = SourceIdentity::of(found.paths[at]);
        if (!identity)
            continue;
        if (const auto kept = openStoredRank(stores, found.paths[at], *identity))
            knowPlace(files[at].recorded, **kept);
    }
}

int runInfo(const RunInfoOptions &options)
{
    int code = Good;
    const std::optional<GatheredFiles> found = findFiles(options.paths, options.open, code);
    if (!found)
        return code;
    std::vector<RunFile> files = runFilesOf(*found, {});
    if (!options.open.noStore)
        useKeptFacts(*found, files);
    const RunLayout layout = layoutOf(files);
    for (const uint32_t at : layout.notRead)
        complain(files[at].name + ": Not read: " + files[at].why);
    if (!layout.notRead.empty())
        code = worseOf(code, layout.runs.empty() ? Unreadable : WithLosses);
    const size_t most = options.limit ? options.limit : SIZE_MAX;
    fmt::print("{}", options.json ? layoutJson(layout, files, found->skipped) : layoutText(layout, files, most));
    flushOutput();
    return code;
}

} // namespace

void addRunCommand(CLI::App &app, int &code)
{
    CLI::App *run = app.add_subcommand("run", "Answer questions about the files of a whole job");
    run->require_subcommand(1);
    auto options = std::make_shared<RunInfoOptions>();
    CLI::App *command = run->add_subcommand(
        "info", "List the runs in a folder, their ranks and what was found of each rank, without reading the traces");
    CLI::Option *paths = command
                             ->add_option("PATH", options->paths,
                                          "Folders, archives, files or quoted patterns such as 'runs/*/rank?.json'")
                             ->required();
    addLogdirOption(*command, paths);
    command->add_flag("--json", options->json, "Print one JSON object instead of text");
    command->add_option("--limit", options->limit, "Number of ranks of a run to print as text; 0 for all")
        ->capture_default_str()
        ->check(rowCount());
    command->add_flag("--no-store", options->open.noStore, "Do not use facts that were kept when a trace was read");
    command->footer(
        "\nA rank is what a file records, else what its folder is named after, else its worker (TensorBoard), else "
        "its\n"
        "name. Files are told apart as runs by the start time in a folder's name, and by folders that have the same\n"
        "ranks. Recordings of one worker at different times are spans of one rank; other files of one rank are\n"
        "duplicates. Only the begin and the end of a file are looked at, so a rank may be known only after the file\n"
        "is read.\n"
        "\nThe exit code is 3 if a file could not be read, and 1 if there is none.\n"
        "\nExamples:\n"
        "  riffle-cli run info 7b_train\n"
        "  riffle-cli run info --json --logdir output/profiling | jq '.runs[].missing_ranks'\n");
    command->callback([options, &code] { code = worseOf(code, runInfo(*options)); });
}

} // namespace riffle::cli
