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

/// The one asked for; else the one that ran out of memory where that is asked for, else the one with the highest peak.
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
                     ? fmt::format("the snapshot knows no {} {}", options.host ? "host" : "device", *options.device)
                 : outOfMemory ? "no device ran out of memory"
                               : "the snapshot holds no segments and no history",
                 facts.snapshot().path,
                 {},
                 ErrorKind::Question};
}

std::string jsonRemarks(const std::vector<std::string> &remarks)
{
    std::string out = "[";
    for (const std::string &remark : remarks)
        out += (out.size() > 1 ? ", " : "") + jsonString(remark);
    return out + "]";
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

/// What is asked of all the history.
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
                   map.device().events, jsonRemarks(remarks));
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
            ? "before its history"
            : fmt::format("after event {} of {}", state.event - map.device().firstEvent, map.device().events);
    fmt::print("{}, {}\n", memoryDeviceName(map.device()), when);
    for (const std::string &remark : remarks)
        fmt::print("{}{}\n", options.format == "md" ? "\n" : "  ", shownText(remark));
    if (options.table != "figures")
        fmt::print("\n{}", tableText(figures, options));
    fmt::print("\n{}", tableText(table, options));
}

/// What is left to do when the answer is printed.
int finish(const OpenedFacts &opened)
{
    opened.finish();
    return opened.facts->snapshot().damage ? WithLosses : Good;
}

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

/// For people: what was alive, of the first few failures.
void printAliveAtFailures(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all, StateOptions options)
{
    constexpr size_t kTold = 3;
    options.limit = std::min<int64_t>(options.limit > 0 ? options.limit : INT64_MAX, 12);
    std::optional<MemoryCategories> categories;
    for (size_t at = 0; at < std::min(all.size(), kTold); ++at) {
        if (!categories)
            categories.emplace(facts, MemoryRules::builtIn());
        const MemoryInstant instant = memoryInstant(facts, all[at].device, all[at].event);
        const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), MemoryGrouping::Category, &*categories);
        fmt::print("\n{}{}\n\n{}\n{}", options.format == "md" ? "### " : "",
                   describeInstant(facts, all[at].device, all[at].event),
                   tableText(aliveStacks(facts, instant), options),
                   tableText(memoryTreeTable(tree, MemoryGrouping::Category), options));
    }
}

/// A report for each allocation that failed: a line of figures, the verdict in full.
int outOfMemory(const StateOptions &options)
{
    const auto opened = openFacts(options.path, *options.use);
    if (!opened) {
        complain(opened.error().text());
        return codeOf(opened.error());
    }
    const SnapshotFacts &facts = *opened->facts;
    const std::vector<OutOfMemory> all = explainOutOfMemory(facts, {});
    fmt::print("{}", tableText(outOfMemoryTable(facts, all), options));
    if (options.format != "json" && options.format != "csv")
        printAliveAtFailures(facts, all, options);
    return finish(*opened);
}

} // namespace

void addAllocatorCommands(CLI::App &memory, const std::shared_ptr<StoreUse> &use, int &code)
{
    auto options = std::make_shared<StateOptions>();
    options->use = use;
    CLI::App *command =
        memory.add_subcommand("state", "Segments, blocks and holes of a device's allocator after any event");
    command
        ->add_option("SNAPSHOT", options->path, "A file of torch.cuda.memory._dump_snapshot(), or a page of memory_viz")
        ->required();
    command->add_option("--at", options->at, std::string("The instant: ") + kMomentForm)->capture_default_str();
    command->add_option("--device", options->device,
                        "The device's number; else the one with the highest peak, or that ran out of memory");
    command->add_flag("--host", options->host, "Pinned memory of the host");
    command
        ->add_option("--table", options->table,
                     "What to list: at the instant segments, blocks or figures; of the whole history a series of "
                     "figures, or the peaks of streams and pools")
        ->check(CLI::IsMember({"segments", "blocks", "figures", "series", "peaks"}))
        ->capture_default_str();
    command->add_option("--limit", options->limit, "Rows of a table for people; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    command->add_option("--format", options->format, "How to print; json holds all tables of the instant")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    use->addTo(*command);
    command->footer("\nThe state is rebuilt backwards from the final one. A block's size is recorded only of those "
                    "that are there at the end;\n"
                    "of others it is what was asked for, rounded up to 512 bytes.\n");
    command->callback([options, &code] { code = state(*options); });

    auto failures = std::make_shared<StateOptions>();
    failures->use = use;
    CLI::App *oom = memory.add_subcommand(
        "oom",
        "Why allocations failed: what was asked for, what there was, and whether that is fragmentation or demand");
    oom->add_option("SNAPSHOT", failures->path, "A file of torch.cuda.memory._dump_snapshot(), or a page of memory_viz")
        ->required();
    oom->add_option("--limit", failures->limit, "Rows of a table for people; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    oom->add_option("--format", failures->format, "How to print")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    use->addTo(*oom);
    oom->footer("\nMore of what was alive: riffle-cli memory SNAPSHOT --at oom --by stack. Where it lay: riffle-cli "
                "memory state SNAPSHOT --at oom.\n");
    oom->callback([failures, &code] { code = outOfMemory(*failures); });
}

} // namespace riffle::cli
