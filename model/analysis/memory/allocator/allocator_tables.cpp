// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/allocator_tables.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/trace/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {

/// Adds the columns of figures; `of` returns the figures of a row.
template <typename Row, typename Of>
void addFigures(TableBuilder<Row> &build, bool ofSegments, Of of)
{
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get) -> ResultColumn & {
        return build.integer(key, title, CellKind::Bytes, formula,
                             [&](const Row &row) { return bytesOf(get(of(row))); });
    };
    const auto count = [&](const char *key, const char *title, const char *formula, auto get) -> ResultColumn & {
        return build.count(key, title, formula, [&](const Row &row) { return static_cast<int64_t>(get(of(row))); });
    };
    bytes("reserved", "Reserved", "sum of all segments; for expandable ones, the mapped part",
          [](const AllocatorFigures &one) { return one.reserved; });
    bytes("allocated", "Allocated", "bytes that the program requested and has not freed",
          [](const AllocatorFigures &one) { return one.allocated; });
    bytes("active", "Active", "allocated + pending", [](const AllocatorFigures &one) { return one.active(); }).hidden =
        true;
    bytes("pending", "Pending", "requested bytes that are freed but still wait for other streams",
          [](const AllocatorFigures &one) { return one.pending; });
    bytes("in_blocks", "In blocks", "sizes of the blocks that are in use or pending", [](const AllocatorFigures &one) {
        return one.inBlocks;
    }).hidden = true;
    bytes("rounding", "Rounding", "in blocks − allocated − pending: the part that nobody requested",
          [](const AllocatorFigures &one) { return one.rounding(); });
    bytes("free", "Free", "reserved − in blocks: holes", [](const AllocatorFigures &one) { return one.free; });
    bytes("largest_free", "Largest hole", "", [](const AllocatorFigures &one) { return one.largestFree; });
    count("holes", "Holes", "", [](const AllocatorFigures &one) { return one.holes; });
    if (!ofSegments)
        count("segments", "Segments", "", [](const AllocatorFigures &one) { return one.segments; });
    count("blocks", "Blocks", "blocks that are in use or pending",
          [](const AllocatorFigures &one) { return one.blocks; });
    count("pending_blocks", "Pending blocks", "", [](const AllocatorFigures &one) {
        return one.pendingBlocks;
    }).hidden = true;
    count("guessed_blocks", "Blocks of unrecorded size",
          "blocks that are gone at the end; their size follows from the allocator's rules: the requested size, rounded "
          "up, and the remainder of its hole where the allocator leaves none",
          [](const AllocatorFigures &one) { return one.guessedBlocks; })
        .hidden = true;
    build.share("fragmentation", "Fragmentation", "1 − largest hole / free",
                [&](const Row &row) { return of(row).fragmentation(); });
    build
        .share("squared_fragmentation", "Σ hole² / (Σ segment)²",
               "sum of the squared hole sizes / reserved², as in memory_viz",
               [&](const Row &row) { return of(row).squaredFragmentation(); })
        .hidden = ofSegments;
}

} // namespace

std::string memoryAddress(uint64_t address) { return fmt::format("0x{:x}", address); }

std::string memoryStreamName(int64_t stream)
{
    return stream == 0 ? "default stream" : fmt::format("stream 0x{:x}", static_cast<uint64_t>(stream));
}

std::string memoryPoolName(const MemorySnapshot &snapshot, uint32_t pool)
{
    const std::pair<int64_t, int64_t> id =
        pool < snapshot.pools.size() ? snapshot.pools[pool] : std::pair<int64_t, int64_t>();
    return id == std::pair<int64_t, int64_t>() ? "default pool" : fmt::format("pool ({}, {})", id.first, id.second);
}

std::string_view pieceStateWord(AllocatorPiece::State state)
{
    switch (state) {
    case AllocatorPiece::State::Active: return "active";
    case AllocatorPiece::State::Pending: return "pending";
    default: return "free";
    }
}

ResultTable allocatorFigures(const AllocatorMap &map, const AllocatorState &state)
{
    using Row = std::pair<std::string, AllocatorFigures>;
    std::vector<Row> rows{{"all", state.figures}};
    const auto streams = figuresByStream(state);
    if (streams.size() > 1)
        for (const auto &[stream, figures] : streams)
            rows.emplace_back(memoryStreamName(stream), figures);
    const auto pools = figuresByPool(state);
    if (pools.size() > 1)
        for (const auto &[pool, figures] : pools)
            rows.emplace_back(memoryPoolName(map.snapshot(), pool), figures);
    ResultTable table;
    table.view = "figures";
    table.title = "Allocator memory";
    TableBuilder<Row> build(table, rows);
    build.text("of", "Of", "all, a stream or a pool", [](const Row &row) { return row.first; });
    addFigures(build, false, [](const Row &row) -> const AllocatorFigures & { return row.second; });
    return table;
}

ResultTable allocatorSegments(const AllocatorMap &map, const AllocatorState &state)
{
    const MemorySnapshot &snapshot = map.snapshot();
    ResultTable table;
    table.view = "segments";
    table.title = "Segments";
    using Row = AllocatorSegment;
    TableBuilder<Row> build(table, state.segments);
    build.text("address", "Address", "", [](const Row &row) { return memoryAddress(row.range.address); });
    build.text("stream", "Stream", "", [](const Row &row) { return memoryStreamName(row.range.stream); });
    build.text("pool", "Pool", "", [&](const Row &row) { return memoryPoolName(snapshot, row.range.pool); });
    build
        .text("type", "Type", "known only for segments that are there at the end",
              [&](const Row &row) {
                  return row.range.segment == MemoryAllocations::kNone
                             ? std::string()
                             : std::string(snapshot.string(snapshot.segments[row.range.segment].type));
              })
        .hidden = true;
    build.text("expandable", "Expandable", "part of an address range that is mapped and unmapped piece by piece",
               [](const Row &row) { return row.range.expandable ? "yes" : "no"; });
    addFigures(build, true, [](const Row &row) -> const AllocatorFigures & { return row.figures; });
    if (state.segments.empty())
        table.absence = "There are no segments at this instant.";
    return table;
}

ResultTable allocatorBlocks(const AllocatorMap &map, const AllocatorState &state)
{
    const MemorySnapshot &snapshot = map.snapshot();
    const MemoryAllocations &allocations = map.device().allocations;
    ResultTable table;
    table.view = "blocks";
    table.title = "Blocks and holes";
    using Row = AllocatorPiece;
    TableBuilder<Row> build(table, state.pieces);
    build
        .text("segment", "Segment", "address of the segment",
              [&](const Row &row) {
                  return row.segment == AllocatorPiece::kNone
                             ? std::string()
                             : memoryAddress(state.segments[row.segment].range.address);
              })
        .unnamed = "none";
    build.text("address", "Address", "", [](const Row &row) { return memoryAddress(row.address); });
    build.text("state", "State", "pending: freed, but still waiting for other streams",
               [](const Row &row) { return std::string(pieceStateWord(row.state)); });
    build.integer("size", "Size", CellKind::Bytes,
                  "size of the block; if it is not recorded, it follows from the allocator's rules",
                  [](const Row &row) { return bytesOf(row.size); });
    build.integer("requested", "Requested", CellKind::Bytes, "",
                  [](const Row &row) { return row.state == Row::State::Free ? kNoInt : bytesOf(row.requested); });
    build.text("size_is", "Size is", "recorded if the block is there at the end, otherwise guessed",
               [](const Row &row) {
                   return row.state == Row::State::Free ? "" : row.guessed ? "guessed" : "recorded";
               });
    build.id("allocation", "Allocation", "number of the allocation on its device", [](const Row &row) {
        return row.allocation == Row::kNone ? kNoInt : static_cast<int64_t>(row.allocation);
    });
    build.id("event", "Since event",
             "number of its alloc event in the device's history; empty if it is from before the history",
             [&](const Row &row) {
                 const uint32_t begin = row.allocation == Row::kNone ? Row::kNone : allocations.begin[row.allocation];
                 return begin == Row::kNone ? kNoInt : static_cast<int64_t>(begin - map.device().firstEvent);
             });
    build
        .id("stack", "Stack", "number of the allocating stack in the snapshot; 0 if it is unknown",
            [&](const Row &row) {
                return row.allocation == Row::kNone
                           ? kNoInt
                           : static_cast<int64_t>(allocationStack(snapshot, allocations, row.allocation).allocated());
            })
        .hidden = true;
    if (state.pieces.empty())
        table.absence = "There are no blocks at this instant.";
    return table;
}

std::vector<std::string> allocatorRemarks(const AllocatorMap &map, const AllocatorState &state)
{
    std::vector<std::string> remarks;
    const auto say = [&](uint64_t count, const char *one, const char *many, const MemoryTrouble *trouble = nullptr) {
        if (count)
            remarks.push_back(
                formatCounted(bytesOf(count), one, many) +
                (trouble ? ", the first at event " + std::to_string(trouble->firstEvent - map.device().firstEvent)
                         : std::string()) +
                ".");
    };
    const SegmentTroubles &troubles = map.history().troubles();
    say(troubles.overlappingSegments, "segment of the final state overlaps another and is left out",
        "segments of the final state overlap others and are left out");
    say(troubles.emptySegments, "segment of the final state has an impossible size and is left out",
        "segments of the final state have impossible sizes and are left out");
    say(troubles.unknownAllocs.count, "segment was allocated or mapped, but neither freed nor there at the end",
        "segments were allocated or mapped, but neither freed nor there at the end", &troubles.unknownAllocs);
    say(troubles.overlappingFrees.count,
        "segment was freed or unmapped while its addresses stayed in use; the event is left out",
        "segments were freed or unmapped while their addresses stayed in use; the events are left out",
        &troubles.overlappingFrees);
    say(troubles.impossibleSizes.count, "segment event has an impossible size and is left out",
        "segment events have impossible sizes and are left out", &troubles.impossibleSizes);
    if (const BlockSizes &sizes = map.sizes(); sizes.different() > 0)
        remarks.push_back(formatCount(bytesOf(sizes.different())) + " of " +
                          formatCounted(bytesOf(sizes.recorded()), "recorded size of a block", "recorded block sizes") +
                          " are not those of PyTorch's rules, so sizes that are not recorded may be wrong, too.");
    if (const RecordedSums &sums = map.recordedSums(); sums.different > 0)
        remarks.push_back("At event " + formatCount(sums.event - map.device().firstEvent) + ", the history records " +
                          formatBytes(bytesOf(sums.recorded)) + " in blocks, and the reconstructed blocks have " +
                          formatBytes(bytesOf(sums.found)) + "; " + formatCount(sums.different) + " of " +
                          formatCounted(sums.compared, "such entry", "such entries") + " that were compared differ.");
    say(state.outsideBlocks, "block is outside all segments and is not counted in any figure",
        "blocks are outside all segments and are not counted in any figure");
    say(state.overlappingBlocks, "block starts before the previous one ends",
        "blocks start before the previous one ends");
    say(state.crossingBlocks, "block extends beyond the end of its segment",
        "blocks extend beyond the end of their segment");
    return remarks;
}

} // namespace riffle
