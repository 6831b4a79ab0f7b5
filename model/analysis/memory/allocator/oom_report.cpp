// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/oom_report.h"

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace riffle {

namespace {

std::string text(uint64_t bytes) { return formatBytes(bytesOf(bytes)); }

/// The sum, clamped instead of wrapped, because damaged files can contain any number.
uint64_t sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/// True if the range serves small requests. The allocator serves requests of up to 1 MiB from separate segments of
/// 2 MiB, and other requests from larger segments.
bool isForSmall(const MemorySnapshot &snapshot, const MappedRange &range)
{
    constexpr uint64_t kSmallSegment = 2 << 20;
    const std::string_view type = range.segment == MemoryAllocations::kNone
                                      ? std::string_view()
                                      : snapshot.string(snapshot.segments[range.segment].type);
    return type.empty() ? range.size <= kSmallSegment : type == "small";
}

/// The largest hole that could have served the request. Private pools do not count, because only their owners may use
/// them.
uint64_t largestFitting(const MemorySnapshot &snapshot, const AllocatorState &state, const OutOfMemory &oom)
{
    constexpr uint64_t kLargestSmall = 1 << 20;
    uint64_t largest = 0;
    for (const AllocatorSegment &segment : state.segments)
        if (segment.range.stream == oom.stream && snapshot.pools[segment.range.pool] == std::pair<int64_t, int64_t>() &&
            isForSmall(snapshot, segment.range) == (oom.asked <= kLargestSmall))
            largest = std::max(largest, segment.figures.largestFree);
    return largest;
}

OomVerdict verdictOn(const OutOfMemory &oom)
{
    if (oom.deviceFree && *oom.deviceFree >= oom.asked)
        return OomVerdict::Refused;
    if (oom.largestFitting >= oom.asked)
        return OomVerdict::Unexplained;
    if (oom.largestOfStream >= oom.asked)
        return OomVerdict::OtherPool;
    if (oom.figures.largestFree >= oom.asked)
        return OomVerdict::OtherStream;
    if (oom.figures.free >= oom.asked)
        return OomVerdict::Fragmentation;
    return sum(oom.figures.free, oom.deviceFree.value_or(0)) >= oom.asked ? OomVerdict::Divided : OomVerdict::Demand;
}

} // namespace

uint64_t OutOfMemory::lacking() const
{
    const uint64_t there = sum(figures.free, deviceFree.value_or(0));
    return asked > there ? asked - there : 0;
}

std::vector<std::pair<uint32_t, uint32_t>> outOfMemoryEvents(const SnapshotFacts &facts)
{
    std::vector<std::pair<uint32_t, uint32_t>> all;
    const std::vector<DeviceReplay> &devices = facts.replay().devices;
    for (uint32_t row = 0; row < devices.size(); ++row)
        for (uint32_t event = devices[row].firstEvent; event < devices[row].firstEvent + devices[row].events; ++event)
            if (facts.snapshot().events.action[event] == MemoryAction::OutOfMemory)
                all.emplace_back(row, event);
    return all;
}

OutOfMemory explainOutOfMemory(const AllocatorMap &map, uint32_t device, uint32_t event)
{
    const MemoryEventTable &events = map.snapshot().events;
    OutOfMemory oom;
    oom.device = device;
    oom.event = event;
    const uint16_t stream = events.stream.at(event, 0);
    oom.stream = stream < map.snapshot().streams.size() ? map.snapshot().streams[stream] : 0;
    oom.stack = events.stack.at(event, 0);
    oom.asked = events.size[event] > 0 ? static_cast<uint64_t>(events.size[event]) : 0;
    if (events.address[event] != MemoryEventTable::kNotRecorded)
        oom.deviceFree = events.address[event];
    const AllocatorState state = map.after(event);
    oom.figures = state.figures;
    for (const auto &[of, figures] : figuresByStream(state))
        if (of == oom.stream)
            oom.largestOfStream = figures.largestFree;
    oom.largestFitting = largestFitting(map.snapshot(), state, oom);
    oom.verdict = verdictOn(oom);
    return oom;
}

std::vector<OutOfMemory> explainOutOfMemory(const SnapshotFacts &facts, const Task &task)
{
    constexpr size_t kMost = 1000; // a program may catch the error and retry in a loop
    std::vector<OutOfMemory> all;
    std::optional<AllocatorMap> map;
    for (const auto &[device, event] : outOfMemoryEvents(facts)) {
        if (task.stopped() || all.size() == kMost)
            break;
        if (all.empty() || all.back().device != device)
            map.emplace(facts, device, task);
        all.push_back(explainOutOfMemory(*map, device, event));
    }
    return all;
}

std::string_view oomVerdictWord(OomVerdict verdict)
{
    switch (verdict) {
    case OomVerdict::Refused: return "refused";
    case OomVerdict::Unexplained: return "unexplained";
    case OomVerdict::OtherStream: return "other stream";
    case OomVerdict::OtherPool: return "other pool";
    case OomVerdict::Fragmentation: return "fragmentation";
    case OomVerdict::Divided: return "divided";
    default: return "demand";
    }
}

std::string oomVerdictText(const OutOfMemory &oom)
{
    const std::string asked = text(oom.asked), cached = text(oom.figures.free),
                      free = oom.deviceFree ? text(*oom.deviceFree) : "(not recorded)",
                      hole = text(oom.figures.largestFree);
    switch (oom.verdict) {
    case OomVerdict::Refused:
        return "Refused: " + asked + " were requested and the device had " + free +
               " free. Either a limit of the process (set_per_process_memory_fraction) or the driver's own need for "
               "memory prevented the allocation.";
    case OomVerdict::Unexplained:
        return "Not explained: a hole of " + text(oom.largestFitting) +
               " in the same stream and pool was large enough "
               "for the " +
               asked +
               ". Either max_split_size_mb prevents large blocks from being split, or the file is "
               "incomplete.";
    case OomVerdict::OtherStream:
        return "Other stream: a hole of " + hole + " was large enough for the " + asked +
               ", but it is in a segment of another stream; the largest hole of the requesting stream is " +
               text(oom.largestOfStream) + ".";
    case OomVerdict::OtherPool:
        return "Other pool: a hole of " + text(oom.largestOfStream) + " in the same stream was large enough for the " +
               asked + ", but it is in another pool or in a segment for small blocks.";
    case OomVerdict::Fragmentation:
        return "Fragmentation: " + cached + " were free between blocks, which is enough for the " + asked +
               ", but the largest hole was " + hole + " and the device had " + free + " left.";
    case OomVerdict::Divided:
        return "Divided: neither the " + cached + " free between blocks nor the " + free +
               " left on the device were enough for the " + asked + ", but both together would have been.";
    default:
        if (!oom.deviceFree)
            return "Demand: " + asked + " were requested, and only " + cached +
                   " were free between blocks. The free memory of the device was not recorded; without it, " +
                   text(oom.lacking()) + " more were needed.";
        return "Demand: " + asked + " were requested. Even with all " + cached +
               " that were free between blocks and the " + free + " left on the device, " + text(oom.lacking()) +
               " more were needed.";
    }
}

ResultTable outOfMemoryTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all)
{
    using Row = OutOfMemory;
    ResultTable table;
    table.view = "oom";
    table.title = "Out of memory";
    TableBuilder<Row> build(table, all);
    const auto device = [&](const Row &row) -> const DeviceReplay & { return facts.replay().devices[row.device]; };
    build.text("device", "Device", "", [&](const Row &row) { return memoryDeviceName(device(row)); });
    build.id("event", "Event", "number in the device's history",
             [&](const Row &row) { return row.event - device(row).firstEvent; });
    build
        .integer("unix_ns", "Time", CellKind::Count, "Unix nanoseconds",
                 [&](const Row &row) { return facts.snapshot().events.time.at(row.event, MemoryEventTable::kNoTime); })
        .hidden = true;
    build.text("stream", "Stream", "", [](const Row &row) { return memoryStreamName(row.stream); }).hidden = true;
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get) {
        build.integer(key, title, CellKind::Bytes, formula, [&](const Row &row) { return bytesOf(get(row)); });
    };
    bytes("asked", "Requested", "size of the failed allocation", [](const Row &row) { return row.asked; });
    build.integer("device_free", "Free on the device", CellKind::Bytes, "free memory of the device as recorded",
                  [](const Row &row) { return row.deviceFree ? bytesOf(*row.deviceFree) : kNoInt; });
    bytes("reserved", "Reserved", "sum of all segments", [](const Row &row) { return row.figures.reserved; });
    bytes("allocated", "Allocated", "bytes that the program requested and had not freed",
          [](const Row &row) { return row.figures.allocated; });
    bytes("pending", "Pending", "freed, but still waiting for other streams",
          [](const Row &row) { return row.figures.pending; });
    bytes("rounding", "Rounding", "in blocks − allocated − pending",
          [](const Row &row) { return row.figures.rounding(); });
    bytes("cached", "Cached", "reserved − in blocks: free between blocks",
          [](const Row &row) { return row.figures.free; });
    bytes("largest_free", "Largest hole", "", [](const Row &row) { return row.figures.largestFree; });
    bytes("largest_free_of_stream", "Largest on its stream", "largest hole in the segments of the requesting stream",
          [](const Row &row) { return row.largestOfStream; });
    bytes("lacking", "Lacking", "requested − cached − free on the device, at least 0",
          [](const Row &row) { return row.lacking(); });
    build.text(
        "verdict", "Verdict",
        "the first that applies: refused (free on the device ≥ requested), unexplained (a suitable hole ≥ requested), "
        "other pool (largest on its stream ≥ requested), other stream (largest hole ≥ requested), fragmentation "
        "(cached ≥ requested), divided (cached + free on the device ≥ requested), otherwise demand",
        [](const Row &row) { return std::string(oomVerdictWord(row.verdict)); });
    build.text("explanation", "Why", "", [](const Row &row) { return oomVerdictText(row); }).prose = true;
    if (all.empty())
        table.absence = "No allocation failed in the snapshot's history.";
    return table;
}

} // namespace riffle
