// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory_instant.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/memory/alive_table.h"
#include "model/analysis/memory/memory_grouping.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <algorithm>
#include <limits>

namespace riffle::cli {

namespace {

/// The word for rows that are not put together.
constexpr const char *kEach = "allocation";

/// What is alive on each of these devices, a table behind the other; sums are of a device.
ResultTable aliveTable(const SnapshotFacts &facts, const std::vector<MemoryInstant> &instants, std::optional<MemoryGrouping> by)
{
    ResultTable all;
    for (const MemoryInstant &instant : instants) {
        const MemoryTree tree = by ? groupMemory(facts, std::span(&instant, 1), *by) : MemoryTree();
        ResultTable table = by ? memoryTreeTable(tree, *by) : aliveAllocations(facts, instant);
        const DeviceReplay &device = facts.replay().devices[instant.device];
        const int64_t number = instant.event == MemoryAllocations::kNone ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(instant.event - device.firstEvent);
        ResultColumn &event = table.add("event", "After event", CellKind::Count, "number in the device's history; none: before the first");
        event.integers.assign(table.rows(), number);
        event.hidden = event.isId = true;
        if (by != MemoryGrouping::Device)
            addSecondColumn(table, "device", "Device", memoryDeviceName(device), instants.size() == 1);
        table.notes.push_back(describeInstant(facts, instant.device, instant.event));
        if (const int64_t unknown = tree.unknownBytes(); unknown != 0 || by == MemoryGrouping::Category)
            table.notes.push_back(memoryDeviceName(device) + ": nothing is known of " + formatShare(ratio(unknown, tree.totalBytes())) + " of the bytes.");
        appendTable(all, std::move(table));
    }
    return all;
}

std::vector<MemoryGrouping> groupings()
{
    std::vector<MemoryGrouping> all;
    for (uint8_t by = 0; by < kMemoryGroupings; ++by)
        if (static_cast<MemoryGrouping>(by) != MemoryGrouping::Category)
            all.push_back(static_cast<MemoryGrouping>(by));
    return all;
}

} // namespace

void InstantQuestion::addTo(CLI::App &command)
{
    command.add_option("--device", device, "Of a snapshot: only this device. Without it the number of an event is one of the first device that has a history");
    command.add_flag("--host", host, "Of a snapshot: --device is one of the host's pinned memory");
    command.add_option("--unit", unit, "Of a snapshot: for all bytes that people see")->check(CLI::IsMember({"B", "KiB", "MiB", "GiB"}));
}

std::string groupingWords()
{
    std::string words;
    for (const MemoryGrouping by : groupings())
        words += std::string(memoryGroupingWord(by)) + ", ";
    return words + "or " + kEach;
}

std::shared_ptr<const SnapshotFacts> openSnapshot(const std::string &path, int &code)
{
    const auto snapshot = readMemorySnapshot(path, {}, {});
    if (!snapshot) {
        complain(snapshot.error().text());
        code = std::max(code, codeOf(snapshot.error()));
        return nullptr;
    }
    if ((*snapshot)->damage) {
        complain(path + ": only the beginning could be read: " + (*snapshot)->damage->text());
        code = std::max<int>(code, WithLosses);
    }
    return std::make_shared<const SnapshotFacts>(*snapshot);
}

Result<std::vector<MemoryInstant>> instantsAt(const SnapshotFacts &facts, const InstantQuestion &instant, const MemoryMoment &moment)
{
    std::vector<uint32_t> devices;
    std::string there;
    for (uint32_t at = 0; at < facts.replay().devices.size(); ++at) {
        const DeviceReplay &device = facts.replay().devices[at];
        there += (there.empty() ? "" : ", ") + memoryDeviceName(device);
        if (instant.device ? device.device == *instant.device && device.host == instant.host : !instant.host || device.host)
            devices.push_back(at);
    }
    const auto wrong = [&](const std::string &message) { return Error{message, facts.snapshot().path, std::nullopt, ErrorKind::Question}; };
    if (there.empty())
        return wrong("the snapshot holds no segments and no history");
    if (devices.empty())
        return wrong("there is no such device; there are " + there);
    if (!instant.device && moment.kind == MemoryMoment::Kind::Event) {
        const auto first = std::find_if(devices.begin(), devices.end(), [&](uint32_t at) { return facts.replay().devices[at].events > 0; });
        devices = {first == devices.end() ? devices.front() : *first};
    }
    std::vector<MemoryInstant> instants;
    std::string why;
    for (const uint32_t at : devices) {
        if (const auto event = eventAt(facts, at, moment))
            instants.push_back(memoryInstant(facts, at, *event));
        else if (why.empty())
            why = event.error().message;
    }
    if (instants.empty())
        return wrong(why);
    return instants;
}

int instantAnswer(const std::vector<std::string> &paths, const MemoryQuestion &question, const InstantQuestion &instant)
{
    const auto moment = parseMemoryMoment(question.at.empty() ? "peak" : question.at);
    const auto by = memoryGroupingOf(question.by.empty() ? "stack" : question.by);
    if (!moment || (question.by != kEach && (!by || *by == MemoryGrouping::Category))) {
        complain(!moment ? moment.error().text() : "a snapshot is told by " + groupingWords() + ", not by " + question.by);
        return Usage;
    }
    int code = Good;
    ResultTable all;
    for (const std::string &path : paths) {
        const auto facts = openSnapshot(path, code);
        if (!facts)
            return code;
        const auto instants = instantsAt(*facts, instant, *moment);
        if (!instants) {
            complain(instants.error().text());
            return codeOf(instants.error());
        }
        ResultTable table = aliveTable(*facts, *instants, by);
        if (paths.size() > 1) {
            addSecondColumn(table, kTraceColumn, "Snapshot", path, false);
            for (std::string &note : table.notes)
                note = path + ": " + note;
        }
        appendTable(all, std::move(table));
    }
    printLargestRows(std::move(all), question, instant.unit);
    return code;
}

} // namespace riffle::cli
