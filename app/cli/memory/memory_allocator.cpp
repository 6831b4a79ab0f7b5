// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_allocator.h"

#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/memory/alive/alive_stacks.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/allocator/oom_advice.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/memory_info.h"
#include "model/base/ids.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace riffle::cli {

namespace {

struct StateOptions {
    std::string path;
    std::string at = "end";
    std::optional<int> device;
    bool host = false;
    std::string table = "segments";
    int64_t limit = 40;
    std::string format = "table";
    std::shared_ptr<StoreUse> use;
};

std::vector<uint32_t> rowsOf(const ResultTable &table, int64_t limit)
{
    std::vector<uint32_t> rows(limit > 0 ? std::min<size_t>(table.rows(), static_cast<size_t>(limit)) : table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
}

bool hasFailed(const SnapshotFacts &facts, uint32_t device)
{
    return static_cast<bool>(eventAt(facts, device, {MemoryMoment::Kind::OutOfMemory, 0}));
}

/// The requested device. If none was requested, the first device that ran out of memory (if `outOfMemory`) or the
/// device with the highest peak.
Result<uint32_t> deviceOf(const SnapshotFacts &facts, bool outOfMemory, const StateOptions &options)
{
    const MemoryReplay &replay = facts.replay();
    std::optional<uint32_t> best;
    for (uint32_t row = 0; row < replay.devices.size(); ++row) {
        const DeviceReplay &device = replay.devices[row];
        if (options.device) {
            if (device.device == *options.device && device.host == options.host)
                return row;
        } else if (outOfMemory ? !best && hasFailed(facts, row)
                               : device.host == options.host &&
                                     (!best || device.peak.allocated > replay.devices[*best].peak.allocated)) {
            best = row;
        }
    }
    if (best)
        return *best;
    return Error{options.device
                     ? fmt::format("The snapshot has no {} {}.", options.host ? "host" : "device", *options.device)
                 : outOfMemory ? "No device ran out of memory."
                               : "The snapshot contains no segments and no history.",
                 facts.snapshot().path,
                 {},
                 ErrorKind::Question};
}

std::string tableText(const ResultTable &table, const StateOptions &options)
{
    if (options.format == "json")
        return tableJson(table, rowsOf(table, 0));
    if (options.format == "csv")
        return tableCsv(table, rowsOf(table, 0));
    const std::vector<uint32_t> rows = rowsOf(table, options.limit);
    PrintOptions print;
    print.rowsLeftOut = static_cast<int64_t>(table.rows() - rows.size());
    return options.format == "md" ? tableMarkdown(table, rows, print) : tableForPeople(table, rows, print);
}

/// Prints a table about the whole history.
void printSeries(const AllocatorMap &map, const StateOptions &options)
{
    constexpr uint32_t kSamples = 4000;
    const AllocatorSeries series = allocatorSeries(map, kSamples, {});
    fmt::print("{}", tableText(options.table == "series" ? allocatorSeriesTable(map, series)
                                                         : allocatorPeaksTable(map, series),
                               options));
}

void printState(const AllocatorMap &map, const AllocatorState &state, const StateOptions &options)
{
    const ResultTable figures = allocatorFigures(map, state);
    const std::vector<std::string> remarks = allocatorRemarks(map, state);
    if (options.format == "json") {
        const ResultTable segments = allocatorSegments(map, state), blocks = allocatorBlocks(map, state);
        fmt::print("{{\n  \"path\": {},\n  \"device\": {},\n  \"event\": {},\n  \"events\": {},\n  \"remarks\": {},\n",
                   jsonString(map.snapshot().path), jsonString(memoryDeviceName(map.device())),
                   state.event == kNoRow ? "null" : std::to_string(state.event - map.device().firstEvent),
                   map.device().events, jsonList(remarks));
        fmt::print("  \"figures\": {},\n  \"segments\": {},\n  \"blocks\": {}\n}}\n",
                   tableJson(figures, rowsOf(figures, 0)), tableJson(segments, rowsOf(segments, 0)),
                   tableJson(blocks, rowsOf(blocks, 0)));
        return;
    }
    const ResultTable table = options.table == "figures"  ? figures
                              : options.table == "blocks" ? allocatorBlocks(map, state)
                                                          : allocatorSegments(map, state);
    if (options.format == "csv") {
        fmt::print("{}", tableText(table, options));
        return;
    }
    const std::string when =
        state.event == kNoRow
            ? "before the history"
            : fmt::format("after event {} of {}", state.event - map.device().firstEvent, map.device().events);
    fmt::print("{}, {}\n", memoryDeviceName(map.device()), when);
    for (const std::string &remark : remarks)
        fmt::print("{}{}\n", options.format == "md" ? "\n" : "  ", shownText(remark));
    if (options.table != "figures")
        fmt::print("\n{}", tableText(figures, options));
    fmt::print("\n{}", tableText(table, options));
}

/// Stores the snapshot after the output is printed, and returns the exit code.
int finish(const OpenedFacts &opened) { return opened.finish(opened.facts->snapshot().damage ? WithLosses : Good); }

int state(const StateOptions &options)
{
    const auto moment = parseMemoryMoment(options.at);
    if (!moment) {
        complain(moment.error().text());
        return Usage;
    }
    const auto opened = openFacts(options.path, *options.use);
    if (!opened) {
        complain(opened.error().text());
        return codeOf(opened.error());
    }
    const SnapshotFacts &facts = *opened->facts;
    const auto device = deviceOf(facts, moment->kind == MemoryMoment::Kind::OutOfMemory, options);
    if (!device) {
        complain(device.error().text());
        return Usage;
    }
    const AllocatorMap map(facts, *device, {});
    if (options.table == "series" || options.table == "peaks") {
        printSeries(map, options);
        return finish(*opened);
    }
    const auto event = eventAt(facts, *device, *moment);
    if (!event) {
        complain(event.error().text());
        return Usage;
    }
    printState(map, map.after(*event), options);
    return finish(*opened);
}

/// Prints what was alive at the first few failures. Used only for formats that people read.
void printAliveAtFailures(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all,
                          const MemoryCategories &categories, StateOptions options)
{
    constexpr size_t kTold = 3;
    options.limit = std::min<int64_t>(options.limit > 0 ? options.limit : INT64_MAX, 12);
    for (size_t at = 0; at < std::min(all.size(), kTold); ++at) {
        const MemoryInstant instant = memoryInstant(facts, all[at].device, all[at].event);
        const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), MemoryGrouping::Category, &categories);
        fmt::print("\n{}{}\n\n{}\n{}", options.format == "md" ? "### " : "",
                   describeInstant(facts, all[at].device, all[at].event),
                   tableText(aliveStacks(facts, instant), options),
                   tableText(memoryTreeTable(tree, MemoryGrouping::Category), options));
    }
}

/// Prints a report for each allocation that failed: a row of figures, the line and the full verdict; and what would
/// have helped.
int outOfMemory(const StateOptions &options)
{
    const auto opened = openFacts(options.path, *options.use);
    if (!opened) {
        complain(opened.error().text());
        return codeOf(opened.error());
    }
    const SnapshotFacts &facts = *opened->facts;
    const std::vector<OutOfMemory> all = explainOutOfMemory(facts, {});
    const bool forPeople = options.format != "json" && options.format != "csv", advises = options.table == "advice";
    if (!advises)
        fmt::print("{}", tableText(outOfMemoryTable(facts, all), options));
    if ((forPeople && !all.empty()) || advises) {
        const MemoryCategories categories(facts, MemoryRules::builtIn());
        const std::vector<OomAdvice> advice = adviceOnFailures(facts, all, categories, {});
        fmt::print("{}{}", advises ? "" : "\n", tableText(adviceTable(facts, all, advice), options));
        if (!advises)
            printAliveAtFailures(facts, all, categories, options);
    }
    return finish(*opened);
}

} // namespace

void addAllocatorCommands(CLI::App &memory, const std::shared_ptr<StoreUse> &use, int &code)
{
    auto options = std::make_shared<StateOptions>();
    options->use = use;
    CLI::App *command =
        memory.add_subcommand("state", "Show the segments, blocks and holes of a device's allocator after any event");
    command
        ->add_option("SNAPSHOT", options->path, "A file from torch.cuda.memory._dump_snapshot(), or a memory_viz page")
        ->required();
    command->add_option("--at", options->at, std::string("The instant: ") + kMomentForm)->capture_default_str();
    command->add_option(
        "--device", options->device,
        "The device's number. Default: with --at oom the first device that ran out of memory, otherwise the one with "
        "the highest peak");
    command->add_flag("--host", options->host, "Show pinned memory of the host");
    command
        ->add_option("--table", options->table,
                     "What to list: segments, blocks or figures at the instant; or, for the whole history, a series of "
                     "figures or the peaks of streams and pools")
        ->check(CLI::IsMember({"segments", "blocks", "figures", "series", "peaks"}))
        ->capture_default_str();
    command->add_option("--limit", options->limit, "Maximum number of rows in table and md output; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    command->add_option("--format", options->format, "Output format; json contains all tables of the instant")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    use->addTo(*command);
    command->footer("\nThe state is rebuilt backwards from the final one. The size of a block is only recorded if the "
                    "block still\n"
                    "exists at the end; otherwise it follows from the rules of PyTorch's caching allocator: the "
                    "requested size,\n"
                    "rounded up, and in large segments a remainder of up to 1 MiB. If sizes that the history records "
                    "disagree, a\n"
                    "remark says so.\n");
    command->callback([options, &code] {
        if (gatherOne(options->path, Usable::Snapshots, {}, code))
            code = worseOf(code, state(*options));
    });

    auto failures = std::make_shared<StateOptions>();
    failures->use = use;
    failures->table = "failures";
    CLI::App *oom = memory.add_subcommand(
        "oom", "Explain why allocations failed: which line, what was requested, what was available, whether the cause "
               "is fragmentation or demand, and what would have helped");
    oom->add_option("SNAPSHOT", failures->path, "A file from torch.cuda.memory._dump_snapshot(), or a memory_viz page")
        ->required();
    oom->add_option("--table", failures->table,
                    "What to list: the failures, or what would have helped and how many bytes that is; table and md "
                    "output of failures contains both")
        ->check(CLI::IsMember({"failures", "advice"}))
        ->capture_default_str();
    oom->add_option("--limit", failures->limit, "Maximum number of rows in table and md output; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    oom->add_option("--format", failures->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    use->addTo(*oom);
    oom->footer("\nTo see everything that was alive: riffle-cli memory SNAPSHOT --at oom --by stack. To see where it "
                "was: riffle-cli\n"
                "memory state SNAPSHOT --at oom.\n");
    oom->callback([failures, &code] {
        if (gatherOne(failures->path, Usable::Snapshots, {}, code))
            code = worseOf(code, outOfMemory(*failures));
    });
}

} // namespace riffle::cli
