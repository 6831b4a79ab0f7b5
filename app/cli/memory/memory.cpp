// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/memory/memory_allocator.h"
#include "app/cli/memory/memory_events.h"
#include "app/cli/memory/memory_flame.h"
#include "app/cli/memory/memory_instant.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/memory/memory_point.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "app/cli/text_width.h"
#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/events/memory_marks.h"
#include "model/analysis/memory/memory_info.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle::cli {

namespace {

struct InfoOptions {
    std::vector<std::string> paths;
    std::shared_ptr<StoreUse> use;
    std::string format = "table";
    std::string picture;
};

struct AnswerOptions {
    std::vector<std::string> paths;
    MemoryQuestion question;
    InstantQuestion instant;
    std::shared_ptr<StoreUse> use;
};

uint64_t usedStacks(const MemorySnapshot &snapshot) { return snapshot.stacks.count() - 1; }

void printJson(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    const ResultTable devices = memoryDevices(snapshot, replay), actions = memoryActions(snapshot, replay);
    const ResultTable marks = memoryMarks(snapshot), outOfMemory = memoryOutOfMemory(snapshot, replay);
    fmt::print("{{\n  \"path\": {},\n  \"container\": {},\n  \"protocol\": {},\n  \"bytes\": {},\n  \"pickle_bytes\": "
               "{},\n  \"state_only\": {},\n",
               jsonString(snapshot.path), jsonString(snapshot.container), snapshot.protocol, snapshot.fileBytes,
               snapshot.pickleBytes, snapshot.stateOnly);
    fmt::print("  \"damage\": {},\n", snapshot.damage ? jsonString(snapshot.damage->message) : "null");
    fmt::print("  \"damage_offset\": {},\n",
               snapshot.damage && snapshot.damage->offset ? std::to_string(*snapshot.damage->offset) : "null");
    fmt::print("  \"events\": {},\n  \"segments\": {},\n  \"blocks\": {},\n  \"stacks\": {},\n  \"frames\": {},\n  "
               "\"annotations\": {},\n",
               snapshot.events.count(), snapshot.segments.size(), snapshot.blocks.size(), usedStacks(snapshot),
               snapshot.frames.size(), snapshot.annotations.size());
    fmt::print("  \"settings\": {{");
    for (size_t at = 0; at < snapshot.settings.size(); ++at)
        fmt::print("{}\n    {}: {}", at ? "," : "", jsonString(snapshot.settings[at].first),
                   jsonString(snapshot.settings[at].second));
    fmt::print("{}}},\n  \"other_keys\": {},\n  \"remarks\": {},\n", snapshot.settings.empty() ? "" : "\n  ",
               jsonList(snapshot.oddities.otherKeys), jsonList(memoryRemarks(snapshot, replay)));
    fmt::print("  \"marks\": {},\n  \"out_of_memory\": {},\n", tableJson(marks, allRows(marks)),
               tableJson(outOfMemory, allRows(outOfMemory)));
    fmt::print("  \"devices\": {},\n  \"actions\": {},\n  \"load_seconds\": {:.6f}\n}}\n",
               tableJson(devices, allRows(devices)), tableJson(actions, allRows(actions)), snapshot.loadSeconds);
}

void printText(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    fmt::print("{}\n  format      {}, protocol {}, {}\n", shownText(snapshot.path), snapshot.container,
               snapshot.protocol, formatBytes(static_cast<int64_t>(snapshot.fileBytes)));
    fmt::print("  events      {}\n  segments    {} with {} blocks\n  stacks      {} of {} frames\n",
               formatCount(snapshot.events.count()), formatCount(static_cast<int64_t>(snapshot.segments.size())),
               formatCount(static_cast<int64_t>(snapshot.blocks.size())),
               formatCount(static_cast<int64_t>(usedStacks(snapshot))),
               formatCount(static_cast<int64_t>(snapshot.frames.size())));
    if (!snapshot.annotations.empty())
        fmt::print("  marks       {}\n", formatCount(static_cast<int64_t>(snapshot.annotations.size())));
    for (const auto &[key, value] : snapshot.settings)
        if (!value.empty() && key.size() < 40)
            fmt::print("  {:<40} {}\n", shownText(key),
                       shownText(lengthOf(value) > 80 ? firstOf(value, 77) + "..." : value));
    fmt::print("  loaded in   {:.3f} s, {:.0f} MB/s\n", snapshot.loadSeconds,
               snapshot.loadSeconds > 0 ? static_cast<double>(snapshot.pickleBytes) / 1e6 / snapshot.loadSeconds : 0.0);
    for (const std::string &remark : memoryRemarks(snapshot, replay))
        fmt::print("  {}\n", shownText(remark));
    for (const ResultTable &table : {memoryDevices(snapshot, replay), memoryActions(snapshot, replay)})
        fmt::print("\n{}", tableForPeople(table, allRows(table), {}));
    for (const ResultTable &table : {memoryOutOfMemory(snapshot, replay), memoryMarks(snapshot)})
        if (table.rows() > 0)
            fmt::print("\n{}", tableForPeople(table, allRows(table), {}));
}

int info(const InfoOptions &options)
{
    int code = Good;
    for (const std::string &path : options.paths) {
        if (memoryKind(path) != FileKind::Snapshot) {
            MemoryQuestion question;
            question.format = options.format;
            question.picture = options.picture;
            question.inputs = inputsOf(options.paths);
            code = std::max(code, otherMemoryInfo(path, question));
            continue;
        }
        if (!options.picture.empty()) {
            complain(path + ": A snapshot contains no picture. To draw what is alive in it, use riffle-cli memory FILE "
                            "--picture FILE.svg.");
            return Usage;
        }
        const auto opened = openFacts(path, *options.use);
        if (!opened) {
            complain(opened.error().text());
            if (opened.error().kind == ErrorKind::Question)
                return Usage;
            code = opened.error().kind == ErrorKind::Limit
                       ? LimitExceeded
                       : std::max<int>(code == WithLosses ? Good : code, Unreadable);
            continue;
        }
        const MemorySnapshot &snapshot = opened->facts->snapshot();
        const MemoryReplay &replay = opened->facts->replay();
        options.format == "json" ? printJson(snapshot, replay) : printText(snapshot, replay);
        if (snapshot.damage && code == Good)
            code = WithLosses;
        code = opened->finish(code);
    }
    return code;
}

int answer(const AnswerOptions &options)
{
    MemoryQuestion question = options.question;
    question.inputs = inputsOf(options.paths);
    if (!options.instant.rules.empty())
        question.inputs.push_back(options.instant.rules);
    std::vector<std::string> snapshots, others;
    for (const std::string &path : options.paths)
        (memoryKind(path) == FileKind::Snapshot ? snapshots : others).push_back(path);
    if (!question.picture.empty() && !snapshots.empty() && !others.empty()) {
        complain("One picture cannot show snapshots and other memory files. Write one for each kind.");
        return Usage;
    }
    int code = Good;
    for (const std::string &path : others)
        code = std::max(code, otherMemoryAnswer(path, question));
    if (snapshots.empty())
        return code;
    const auto answerOf = question.picture.empty() ? instantAnswer : instantPicture;
    return std::max(code, answerOf(snapshots, question, options.instant, *options.use));
}

/// Options of the command itself do not reach its subcommands, so an error says so. `shared` are those that do.
void refuseBeforeSubcommand(const CLI::App &command, const std::vector<std::string> &shared)
{
    if (command.get_subcommands().empty())
        return;
    for (const CLI::Option *option : command.get_options())
        if (option->count() > 0 && std::find(shared.begin(), shared.end(), option->get_name()) == shared.end())
            throw CLI::ValidationError(option->get_name() + " before a subcommand has no effect. Write it behind the "
                                                            "subcommand's name, if the subcommand has it.");
}

} // namespace

int snapshotInfo(const std::string &path, const std::string &format, const OpenOptions &open)
{
    InfoOptions options;
    options.paths = {path};
    options.format = format;
    options.use = std::make_shared<StoreUse>(StoreUse{open.noStore, open.storeLimit});
    return info(options);
}

void addMemoryCommand(CLI::App &app, int &code)
{
    CLI::App *command = app.add_subcommand("memory", "Show where the memory went: snapshots of PyTorch's allocator, "
                                                     "memory timelines from torch.profiler, InternEvo memory logs");
    auto asked = std::make_shared<AnswerOptions>();
    command->add_option("FILE", asked->paths,
                        "Snapshots, memory timelines, logs or folders of ranks; the content decides which");
    command->add_option("--at", asked->question.at,
                        std::string("The instant on each device: ") + kMomentForm +
                            ". For a log or a memory timeline: " + kPointForm + ". Default: peak");
    command->add_option("--by", asked->question.by,
                        "Group rows by: for a snapshot, " + groupingWords(true) +
                            " (default place); for a memory timeline, category, time or action (default category); for "
                            "a log, category, layer, time or sunburst (default category)");
    command->add_option("--rank", asked->question.rank,
                        "Only this rank of a log, given by its number or its folder's name");
    command
        ->add_option("--limit", asked->question.limit,
                     "Maximum number of rows; for a snapshot, those with the most bytes. Default for snapshots: 50 in "
                     "table and md, all in csv and json; 0: all")
        ->check(rowCount());
    command->add_option("--format", asked->question.format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->add_option("--picture", asked->question.picture,
                        "File for a picture instead of a table. For snapshots: an SVG file (or - for stdout) with a "
                        "flame graph of what is alive on each device, by stack unless --by says otherwise. For a page "
                        "that contains nothing but a picture: that picture");
    asked->instant.addTo(*command);
    // All subcommands share one object, so that these options also work before the subcommand's name.
    asked->use = std::make_shared<StoreUse>();
    asked->use->addTo(*command);
    command->footer("\nFor snapshots, bytes are the requested bytes that are not back in the pool (active). Of these, "
                    "pending_bytes are\n"
                    "already freed but wait for other streams; the program holds the rest (allocated). The top-level "
                    "rows add up to the\n"
                    "device's level at the instant.\n");
    command->require_subcommand(0, 1);
    command->parse_complete_callback([command] { refuseBeforeSubcommand(*command, {"--store-limit", "--no-store"}); });
    auto options = std::make_shared<InfoOptions>();
    CLI::App *infoCommand =
        command->add_subcommand("info", "Show what a file contains: events, devices, peaks, and any problems");
    infoCommand
        ->add_option("FILE", options->paths,
                     "Files from torch.cuda.memory._dump_snapshot() or export_memory_timeline(), memory_viz pages, "
                     "or a memory.log or its folders")
        ->required();
    infoCommand->add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    infoCommand->add_option("--picture", options->picture,
                            "File for the picture of a page that contains nothing but a picture");
    options->use = asked->use;
    options->use->addTo(*infoCommand);
    infoCommand->footer(
        "\nNo code in a file is ever executed. The file is read as plain data, and reading stops at anything else.\n");
    infoCommand->callback([options, &code] {
        if (gather(options->paths, Usable::MemoryFiles, {}, code))
            code = worseOf(code, info(*options));
    });
    addMemoryDiffCommand(*command, asked->use, code);
    addMemoryRulesCommand(*command);
    addMemoryEventsCommand(*command, asked->use, code);
    addAllocatorCommands(*command, asked->use, code);
    command->callback([command, asked, &code] {
        if (!command->get_subcommands().empty())
            return;
        if (asked->paths.empty())
            throw CLI::RequiredError("FILE");
        if (gather(asked->paths, Usable::MemoryFiles, {}, code))
            code = worseOf(code, answer(*asked));
    });
}

} // namespace riffle::cli
