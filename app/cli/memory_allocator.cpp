// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory_allocator.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/memory/allocator_tables.h"
#include "model/analysis/memory/memory_info.h"
#include "model/base/quoted_text.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace riffle::cli {

namespace {

constexpr uint32_t kNone = MemoryAllocations::kNone;

struct StateOptions {
    std::string path;
    std::string at = "end";
    std::optional<int> device;
    bool host = false;
    std::string table = "segments";
    int64_t limit = 40;
    std::string format = "table";
};

std::vector<uint32_t> rowsOf(const ResultTable &table, int64_t limit)
{
    std::vector<uint32_t> rows(limit > 0 ? std::min<size_t>(table.rows(), static_cast<size_t>(limit)) : table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
}

std::optional<uint32_t> firstOutOfMemory(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    const auto actions = snapshot.events.action.slice(device.firstEvent, device.events);
    const auto found = std::find(actions.begin(), actions.end(), MemoryAction::OutOfMemory);
    return found == actions.end() ? std::nullopt : std::optional(device.firstEvent + static_cast<uint32_t>(found - actions.begin()));
}

/// The one asked for; else the one that ran out of memory where that is asked for, else the one with the highest peak.
Result<uint32_t> deviceOf(const MemorySnapshot &snapshot, const MemoryReplay &replay, const StateOptions &options)
{
    std::optional<uint32_t> best;
    for (uint32_t row = 0; row < replay.devices.size(); ++row) {
        const DeviceReplay &device = replay.devices[row];
        if (options.device) {
            if (device.device == *options.device && device.host == options.host)
                return row;
        } else if (options.at == "oom" ? !best && firstOutOfMemory(snapshot, device).has_value()
                                       : device.host == options.host && (!best || device.peak.allocated > replay.devices[*best].peak.allocated)) {
            best = row;
        }
    }
    if (best)
        return *best;
    return Error{options.device ? fmt::format("the snapshot knows no {} {}", options.host ? "host" : "device", *options.device)
                 : options.at == "oom" ? "no device ran out of memory" : "the snapshot holds no segments and no history", snapshot.path, {}, ErrorKind::Question};
}

/// The event after which the state is asked for.
Result<uint32_t> instantOf(const MemorySnapshot &snapshot, const DeviceReplay &device, const std::string &at)
{
    const auto wrong = [&](const std::string &why) { return Error{why, snapshot.path, {}, ErrorKind::Question}; };
    if (at == "begin")
        return kNone;
    if (at == "end")
        return device.events ? device.firstEvent + device.events - 1 : kNone;
    if (at == "peak")
        return device.peakAllocatedEvent;
    if (at == "oom") {
        if (const auto event = firstOutOfMemory(snapshot, device))
            return *event;
        return wrong(memoryDeviceName(device) + " did not run out of memory");
    }
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), number);
    if (error != std::errc() || end != at.data() + at.size())
        return wrong("--at takes begin, end, peak, oom or the number of an event, not \"" + at + "\"");
    if (number >= device.events)
        return wrong(fmt::format("{} has {} events: there is no event {}", memoryDeviceName(device), device.events, number));
    return device.firstEvent + number;
}

std::string jsonRemarks(const std::vector<std::string> &remarks)
{
    std::string out = "[";
    for (const std::string &remark : remarks)
        out += (out.size() > 1 ? ", " : "") + jsonString(remark);
    return out + "]";
}

void printState(const AllocatorMap &map, const AllocatorState &state, const StateOptions &options)
{
    const ResultTable figures = allocatorFigures(map, state);
    const std::vector<std::string> remarks = allocatorRemarks(map, state);
    if (options.format == "json") {
        const ResultTable segments = allocatorSegments(map, state), blocks = allocatorBlocks(map, state);
        fmt::print("{{\n  \"path\": {},\n  \"device\": {},\n  \"event\": {},\n  \"events\": {},\n  \"remarks\": {},\n", jsonString(map.snapshot().path),
                   jsonString(memoryDeviceName(map.device())), state.event == kNone ? "null" : std::to_string(state.event - map.device().firstEvent),
                   map.device().events, jsonRemarks(remarks));
        fmt::print("  \"figures\": {},\n  \"segments\": {},\n  \"blocks\": {}\n}}\n", tableJson(figures, rowsOf(figures, 0)),
                   tableJson(segments, rowsOf(segments, 0)), tableJson(blocks, rowsOf(blocks, 0)));
        return;
    }
    const ResultTable table = options.table == "figures" ? figures : options.table == "blocks" ? allocatorBlocks(map, state) : allocatorSegments(map, state);
    if (options.format == "csv") {
        fmt::print("{}", tableCsv(table, rowsOf(table, 0)));
        return;
    }
    const std::string when = state.event == kNone ? "before its history" : fmt::format("after event {} of {}", state.event - map.device().firstEvent, map.device().events);
    fmt::print("{}, {}\n", memoryDeviceName(map.device()), when);
    for (const std::string &remark : remarks)
        fmt::print("{}{}\n", options.format == "md" ? "\n" : "  ", remark);
    const std::vector<uint32_t> rows = rowsOf(table, options.limit);
    PrintOptions print;
    print.rowsLeftOut = static_cast<int64_t>(table.rows() - rows.size());
    const auto text = [&](const ResultTable &one, const std::vector<uint32_t> &of, const PrintOptions &as) {
        return options.format == "md" ? tableMarkdown(one, of, as) : tableForPeople(one, of, as);
    };
    if (options.table != "figures")
        fmt::print("\n{}", text(figures, rowsOf(figures, 0), {}));
    fmt::print("\n{}", text(table, rows, print));
}

int state(const StateOptions &options)
{
    const auto snapshot = readMemorySnapshot(options.path, {}, {});
    if (!snapshot) {
        complain(snapshot.error().text());
        return snapshot.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
    }
    const SnapshotFacts facts(*snapshot);
    const auto device = deviceOf(**snapshot, facts.replay(), options);
    if (!device) {
        complain(device.error().text());
        return Usage;
    }
    const auto event = instantOf(**snapshot, facts.replay().devices[*device], options.at);
    if (!event) {
        complain(event.error().text());
        return Usage;
    }
    const AllocatorMap map(facts, *device, {});
    printState(map, map.after(*event), options);
    return (*snapshot)->damage ? WithLosses : Good;
}

} // namespace

void addAllocatorCommands(CLI::App &memory, int &code)
{
    auto options = std::make_shared<StateOptions>();
    CLI::App *command = memory.add_subcommand("state", "Segments, blocks and holes of a device's allocator after any event");
    command->add_option("SNAPSHOT", options->path, "A file of torch.cuda.memory._dump_snapshot(), or a page of memory_viz")->required();
    command->add_option("--at", options->at, "The instant: begin, end, peak, oom (the first), or the number of an event of the device, after it")->capture_default_str();
    command->add_option("--device", options->device, "The device's number; else the one with the highest peak, or that ran out of memory");
    command->add_flag("--host", options->host, "Pinned memory of the host");
    command->add_option("--table", options->table, "What to list beside the figures")->check(CLI::IsMember({"segments", "blocks", "figures"}))->capture_default_str();
    command->add_option("--limit", options->limit, "Rows of a table for people; 0: all")->check(CLI::NonNegativeNumber)->capture_default_str();
    command->add_option("--format", options->format, "How to print; json holds all tables")->check(CLI::IsMember({"table", "csv", "json", "md"}))->capture_default_str();
    command->footer("\nThe state is rebuilt backwards from the final one. A block's size is recorded only of those that are there at the end;\n"
                    "of others it is what was asked for, rounded up to 512 bytes.\n");
    command->callback([options, &code] { code = state(*options); });
}

} // namespace riffle::cli
