// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The tables of the report of failed allocations.
#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/trace/tables.h"

namespace riffle {

namespace {

std::string text(uint64_t bytes) { return formatBytes(bytesOf(bytes)); }

} // namespace

std::string_view oomVerdictWord(OomVerdict verdict)
{
    switch (verdict) {
    case OomVerdict::Refused: return "refused";
    case OomVerdict::Unexplained: return "unexplained";
    case OomVerdict::OtherStream: return "other stream";
    case OomVerdict::OtherPool: return "other pool";
    case OomVerdict::Fragmentation: return "fragmentation";
    case OomVerdict::Divided: return "divided";
    case OomVerdict::SegmentSize: return "segment size";
    case OomVerdict::Pending: return "pending";
    default: return "demand";
    }
}

std::string oomVerdictText(const OutOfMemory &oom)
{
    const std::string asked = text(oom.asked), cached = text(oom.figures.free),
                      free = oom.deviceFree ? text(*oom.deviceFree) : "(not recorded)",
                      hole = text(oom.figures.largestFree);
    const bool waits = oom.pending.bytes > 0;
    const std::string waiting = waits ? ", the " + text(oom.pending.bytes) + " in pending blocks" : std::string();
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
               ". Either max_split_size_mb prevents large blocks from being split, or the hole appeared only while the "
               "request was failing, or the file is incomplete.";
    case OomVerdict::OtherStream:
        return "Other stream: a hole of " + hole + " was large enough for the " + asked +
               ", but it is in a segment of another stream; the largest hole of the requesting stream is " +
               text(oom.largestOfStream) + ".";
    case OomVerdict::OtherPool:
        return "Other pool: a hole of " + text(oom.largestOfStream) + " in the same stream was large enough for the " +
               asked + ", but it is in another pool or in a segment for requests of another size.";
    case OomVerdict::Fragmentation:
        return "Fragmentation: " + cached + " were free between blocks, which is enough for the " + asked +
               ", but the largest hole was " + hole + " and the device had " + free + " left.";
    case OomVerdict::SegmentSize:
        return "Segment size: the device had " + free + " free, which is enough for the " + asked +
               ", but the allocator takes at least " + text(oom.segment) +
               " from the device for a request of this size.";
    case OomVerdict::Pending:
        return "Pending frees: " + text(oom.pending.bytes) + " in " +
               formatCounted(oom.figures.pendingBlocks, "block", "blocks") +
               " were freed, but still waited for other streams. Without the wait, " +
               (oom.pending.largestFitting >= oom.asked
                    ? "a hole of " + text(oom.pending.largestFitting) + " could have served the " + asked + "."
                    : "segments of " + text(oom.pending.segments) + " could have gone back to the device, which had " +
                          free + " free, and been used for the " + asked + ".");
    case OomVerdict::Divided:
        return "Divided: neither the " + cached + " free between blocks" + waiting + " nor the " + free +
               " left on the device were enough for the " + asked + ", but " + (waits ? "all" : "both") +
               " together would have been.";
    default:
        if (!oom.deviceFree)
            return "Demand: " + asked + " were requested, and only " + cached + " were free between blocks" + waiting +
                   ". The free memory of the device was not recorded; without it, " + text(oom.lacking()) +
                   " more were needed.";
        return "Demand: " + asked + " were requested. Even with all " + cached + " that were free between blocks" +
               waiting + " and the " + free + " left on the device, " + text(oom.lacking()) + " more were needed.";
    }
}

std::string failedLine(const SnapshotFacts &facts, uint32_t stack)
{
    constexpr size_t kFrames = 3;
    const MemoryStacks &stacks = facts.stacks();
    const auto place = eventPlace(stacks, stack);
    if (!place)
        return "no stack recorded";
    std::string line;
    size_t shown = 0;
    bool reached = false;
    for (const uint32_t frame : facts.snapshot().stacks.at(stack)) {
        reached = reached || frame == *place;
        if (!reached || shown == kFrames || stacks.isRuntime(frame) ||
            (stacks.isPython(*place) && !stacks.isPython(frame)))
            continue;
        line.append(shown++ ? " < " : "").append(stacks.text(frame, false));
    }
    return line;
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
    build
        .text("pool", "Pool", "the pool that was asked; the default pool if events do not record pools",
              [&](const Row &row) { return memoryPoolName(facts.snapshot(), row.pool); })
        .hidden = true;
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get) -> ResultColumn & {
        return build.integer(key, title, CellKind::Bytes, formula, [&](const Row &row) { return bytesOf(get(row)); });
    };
    bytes("asked", "Requested", "size of the failed allocation", [](const Row &row) { return row.asked; });
    build.integer("device_free", "Free on the device", CellKind::Bytes, "free memory of the device as recorded",
                  [](const Row &row) { return row.deviceFree ? bytesOf(*row.deviceFree) : kNoInt; });
    bytes("reserved", "Reserved", "sum of all segments", [](const Row &row) { return row.figures.reserved; });
    bytes("allocated", "Allocated", "bytes that the program requested and had not freed",
          [](const Row &row) { return row.figures.allocated; });
    bytes("pending", "Pending", "freed, but still waiting for other streams",
          [](const Row &row) { return row.figures.pending; });
    bytes("pending_blocks", "Pending blocks", "the sizes of the pending blocks", [](const Row &row) {
        return row.pending.bytes;
    }).hidden = true;
    bytes("rounding", "Rounding", "in blocks − allocated − pending",
          [](const Row &row) { return row.figures.rounding(); });
    bytes("cached", "Cached", "reserved − in blocks: free between blocks",
          [](const Row &row) { return row.figures.free; });
    bytes("largest_free", "Largest hole", "", [](const Row &row) { return row.figures.largestFree; });
    bytes("largest_free_of_stream", "Largest on its stream", "largest hole in the segments of the requesting stream",
          [](const Row &row) { return row.largestOfStream; });
    bytes("largest_fitting", "Largest suitable hole", "largest hole of the requesting stream, pool and kind of segment",
          [](const Row &row) { return row.largestFitting; })
        .hidden = true;
    bytes("segment", "Least segment", "what the allocator takes from the device for such a request, at least",
          [](const Row &row) { return row.segment; })
        .hidden = true;
    bytes("lacking", "Lacking", "requested − cached − pending blocks − free on the device, at least 0",
          [](const Row &row) { return row.lacking(); });
    build.text(
        "verdict", "Verdict",
        "the first that applies: refused (free on the device ≥ least segment), unexplained (largest suitable hole ≥ "
        "requested), segment size (free on the device ≥ requested), pending (without pending blocks, a suitable hole ≥ "
        "requested, or whole segments + free on the device ≥ least segment), other pool (largest on its stream ≥ "
        "requested), other stream (largest hole ≥ requested), fragmentation (cached ≥ requested), divided (cached + "
        "pending blocks + free on the device ≥ requested), otherwise demand",
        [](const Row &row) { return std::string(oomVerdictWord(row.verdict)); });
    build
        .text("where", "Where", "the line that failed and what called it",
              [&](const Row &row) { return failedLine(facts, row.stack); })
        .prose = true;
    build.text("explanation", "Why", "", [](const Row &row) { return oomVerdictText(row); }).prose = true;
    if (all.empty())
        table.absence = "No allocation failed in the snapshot's history.";
    return table;
}

} // namespace riffle
