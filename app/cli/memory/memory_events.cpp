// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_events.h"

#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/memory/events/memory_event_rows.h"
#include "model/analysis/memory/events/memory_events.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace riffle::cli {

namespace {

constexpr int64_t kEventsForPeople = 50;
constexpr size_t kRowsPerPiece = 1 << 14; ///< as texts, rows take much more memory than in the snapshot

struct EventsOptions {
    std::string path, filter, format = "table";
    std::optional<int> device;
    bool host = false;
    int64_t limit = -1; ///< negative for the format's default, 0 for all
    std::shared_ptr<StoreUse> use;

    bool forPeople() const { return format == "table" || format == "md"; }
    size_t mostRows() const
    {
        const int64_t most = limit >= 0 ? limit : forPeople() ? kEventsForPeople : 0;
        return most == 0 ? SIZE_MAX : static_cast<size_t>(most);
    }
};

/// Prints the events of a device. `printed` is the number of rows printed before, for other devices.
void print(const SnapshotFacts &facts, uint32_t device, std::span<const uint32_t> events, const EventsOptions &options,
           bool isFirst, size_t &printed)
{
    const size_t wanted = std::min(events.size(), options.mostRows() - std::min(printed, options.mostRows()));
    if (options.forPeople()) {
        const ResultTable table = memoryEventRows(facts, device, events.first(wanted));
        PrintOptions rows;
        rows.rowsLeftOut = static_cast<int64_t>(events.size() - wanted);
        fmt::print("{}{}", isFirst ? "" : "\n",
                   options.format == "md" ? tableMarkdown(table, allRows(table), rows)
                                          : tableForPeople(table, allRows(table), rows));
        printed += wanted;
        return;
    }
    for (size_t at = 0; at < wanted; at += kRowsPerPiece) {
        const ResultTable table =
            memoryEventRows(facts, device, events.subspan(at, std::min(kRowsPerPiece, wanted - at)));
        if (options.format == "csv")
            fmt::print("{}{}", printed ? "" : csvHeader(table), csvRows(table, allRows(table)));
        else
            fmt::print("{}{}", printed ? "," : "", jsonRows(table, allRows(table)));
        printed += table.rows();
    }
}

int events(const EventsOptions &options)
{
    const auto filter = parseMemoryEventFilter(options.filter);
    if (!filter) {
        complain(filter.error().text());
        return Usage;
    }
    int code = Good;
    const OpenedFacts opened = openSnapshot(options.path, *options.use, code);
    if (!opened.facts)
        return code;
    const SnapshotFacts &facts = *opened.facts;
    std::vector<uint32_t> devices;
    for (uint32_t row = 0; row < facts.replay().devices.size(); ++row) {
        const DeviceReplay &device = facts.replay().devices[row];
        if (options.device ? device.device == *options.device && device.host == options.host
                           : device.events > 0 && (!options.host || device.host))
            devices.push_back(row);
    }
    if (devices.empty() && options.device) {
        complain("The snapshot has no such device.");
        return Usage;
    }
    size_t printed = 0;
    fmt::print("{}", options.format == "json" ? "[" : "");
    for (const uint32_t device : devices)
        print(facts, device, matchingEvents(facts.snapshot(), facts.replay().devices[device], *filter), options,
              device == devices.front(), printed);
    if (printed == 0 && !devices.empty() && options.format == "csv")
        fmt::print("{}", csvHeader(memoryEventRows(facts, 0, {})));
    fmt::print("{}", options.format == "json" ? printed ? "\n]\n" : "]\n" : "");
    flushOutput();
    if (devices.empty())
        complain("No history was recorded. torch.cuda.memory._record_memory_history() starts recording.");
    return opened.finish(code);
}

} // namespace

void addMemoryEventsCommand(CLI::App &memory, const std::shared_ptr<StoreUse> &use, int &code)
{
    auto options = std::make_shared<EventsOptions>();
    options->use = use;
    CLI::App *command = memory.add_subcommand("events", "List the events of a snapshot's history in the order of time");
    command
        ->add_option("SNAPSHOT", options->path, "A file from torch.cuda.memory._dump_snapshot(), or a memory_viz page")
        ->required();
    command->add_option("--filter", options->filter,
                        "Only events that match all words: alloc, free, segment or another action; >10MB, >=512, <1GiB "
                        "or =1024; 0x7f… for an address; stream:0; #12-#400 for numbers of events; other words, or "
                        "\"words in quotes\", for a function, file, metadata or compile context");
    command->add_option("--device", options->device, "Only the device with this number");
    command->add_flag("--host", options->host, "Only the pinned memory of the host");
    command
        ->add_option("--limit", options->limit,
                     "Maximum number of rows. Default: 50 in table and md, all in csv and json; 0: all")
        ->check(rowCount());
    command->add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    use->addTo(*command);
    command->callback([options, &code] {
        if (gatherOne(options->path, Usable::Snapshots, {}, code))
            code = worseOf(code, events(*options));
    });
}

} // namespace riffle::cli
