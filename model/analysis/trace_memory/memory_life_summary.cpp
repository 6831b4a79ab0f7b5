// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// One row per allocation that profile_memory recorded, with its place, size and lifetime. Allocations that failed have
// rows, too.
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/slice/slice_sweep.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/analysis/trace_memory/memory_stack_summary.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"
#include "model/trace/memory/memory_failures.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {

struct LifeRow {
    uint32_t name = 0, parent = 0; ///< StringIds
    int32_t deviceType = 0, device = 0;
    uint64_t address = 0;
    int64_t bytes = kNoInt;
    Ns allocated = kNoInt, released = kNoInt, failed = kNoInt;
    int64_t asked = kNoInt, allocatedThen = kNoInt, reservedThen = kNoInt; ///< of a failed allocation
    uint32_t slice = SliceId::kNone;
};

/// True if an operator only requests memory on behalf of the operator around it.
bool isEmptyTensor(std::string_view name) { return name.starts_with("aten::empty"); }

BigVector<LifeRow> rowsOf(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const MemoryTable &memory = trace.memory;
    const TraceMemory &lives = scope.facts().memory();
    const CallTree &calls = scope.facts().calls();
    SliceReader reader(trace);
    const auto nameOf = [&](uint32_t call) {
        return call != CallTree::kNone && reader.seek(calls.slice[call]) ? reader.name() : 0;
    };
    const auto counts = [&](uint32_t row) {
        return row != TraceMemory::kNone && scope.holds(TraceMemory::timeOf(trace, row)) &&
               scope.hasHostLane(LaneId(memory.lane[row]));
    };
    BigVector<LifeRow> rows;
    for (const TraceMemory::Life &life : lives.lives) {
        if (!counts(life.allocated) && !counts(life.released))
            continue;
        const uint32_t first = life.first(), call = lives.operatorOf(calls, first);
        LifeRow row;
        row.name = nameOf(call);
        if (!scope.hasSlice(calls.sliceOf(call), row.name))
            continue;
        row.parent = call != CallTree::kNone ? nameOf(calls.operatorAround(call)) : 0;
        row.deviceType = memory.deviceType[first];
        row.device = memory.deviceId[first];
        row.address = memory.address[first];
        row.bytes = memory.bytes[first];
        if (life.allocated == TraceMemory::kNone)
            row.bytes = row.bytes == INT64_MIN ? INT64_MAX : -row.bytes;
        if (life.allocated != TraceMemory::kNone)
            row.allocated = memory.time[life.allocated];
        if (life.released != TraceMemory::kNone)
            row.released = memory.time[life.released];
        row.slice = lives.slice[first];
        rows.push_back(row);
    }
    return rows;
}

/// Inserts the failed allocations among the others, by time; returns their number.
size_t addFailures(const Scope &scope, BigVector<LifeRow> &rows)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    SliceReader reader(trace);
    std::vector<LifeRow> failed;
    for (const MemoryFailure &failure : memoryFailures(trace)) {
        if (!scope.holds(failure.time) || failure.lane >= trace.lanes.size() ||
            !scope.hasHostLane(LaneId(failure.lane)))
            continue;
        LifeRow row;
        row.slice = SliceSweep(trace, LaneId(failure.lane), failure.time).innermostAt(failure.time).value;
        const uint32_t call = calls.operatorOfSlice(row.slice),
                       around = call != CallTree::kNone ? calls.operatorAround(call) : CallTree::kNone;
        row.name = call != CallTree::kNone && reader.seek(calls.slice[call]) ? reader.name() : 0;
        row.parent = around != CallTree::kNone && reader.seek(calls.slice[around]) ? reader.name() : 0;
        if (!scope.hasSlice(calls.sliceOf(call), row.name))
            continue;
        row.deviceType = failure.deviceType;
        row.device = failure.deviceId;
        row.failed = failure.time;
        row.asked = failure.asked;
        row.allocatedThen = failure.allocated;
        row.reservedThen = failure.reserved;
        failed.push_back(row);
    }
    const auto middle = static_cast<std::ptrdiff_t>(rows.size());
    rows.insert(rows.end(), failed.begin(), failed.end());
    const auto timeOf = [](const LifeRow &row) {
        return row.failed != kNoInt ? row.failed : row.allocated != kNoInt ? row.allocated : row.released;
    };
    if (!failed.empty())
        std::inplace_merge(rows.begin(), rows.begin() + middle, rows.end(),
                           [&](const LifeRow &a, const LifeRow &b) { return timeOf(a) < timeOf(b); });
    return failed.size();
}

void addNotes(const TraceMemory &lives, size_t failures, ResultTable &table)
{
    if (failures > 0)
        table.notes.push_back(formatCounted(static_cast<int64_t>(failures), "allocation", "allocations") +
                              " failed because memory ran out ([OutOfMemory]).");
    if (lives.withoutAddress > 0)
        table.notes.push_back(formatCount(static_cast<int64_t>(lives.withoutAddress)) +
                              " events have no address (PyTorch before 1.10): it is unknown what was released when.");
    if (lives.givenOutAgain > 0)
        table.notes.push_back(
            formatCount(static_cast<int64_t>(lives.givenOutAgain)) +
            " allocations are at an address whose release was not recorded: the lifetime of the earlier "
            "allocation is unknown.");
}

} // namespace

ResultTable memoryLifeTable(const Scope &scope, std::string_view groupBy)
{
    const Trace &trace = scope.facts().trace();
    if (groupBy == "stack") {
        ResultTable table = memoryStackTable(scope);
        if (trace.memory.time.empty())
            table.setEmpty(notRecorded(scope.facts(), EmptySubject::Memory));
        return table;
    }
    BigVector<LifeRow> rows = rowsOf(scope);
    const size_t failures = addFailures(scope, rows);
    ResultTable table;
    TableBuilder<LifeRow> build(table, rows);
    build
        .text(
            "name", "Operator",
            "The innermost operator in which it was allocated; for aten::empty and the like, also the operator around "
            "that. If the allocation was not recorded, the operator in which it was released.",
            [&](const LifeRow &row) {
                const std::string_view name = trace.string(row.name);
                return row.parent != 0 && isEmptyTensor(name) ? fmt::format("{} ({})", trace.string(row.parent), name)
                                                              : std::string(name);
            })
        .unnamed = "(no operator)";
    ResultColumn &parent = build.text("parent", "Parent", "The operator around the innermost one.",
                                      [&](const LifeRow &row) { return std::string(trace.string(row.parent)); });
    parent.unnamed = "(none)";
    parent.hidden = true;
    build.text("device", "Device", "The device that the memory belongs to.", [](const LifeRow &row) {
        return row.deviceType == MemoryFailure::kUnknownType ? std::string()
                                                             : memoryPlaceName(row.deviceType, row.device);
    });
    ResultColumn &bytes = build.integer("bytes", "Size", CellKind::Bytes, "Bytes that were allocated.",
                                        [](const LifeRow &row) { return row.bytes; });
    bytes.summed = bytes.barred = true;
    build.integer("allocated_at_ns", "Allocated", CellKind::Moment,
                  "Time of the allocation; empty if it was before the recording.",
                  [](const LifeRow &row) { return row.allocated; });
    build.integer("released_at_ns", "Released", CellKind::Moment,
                  "Time of the release; empty if it was not during the recording.",
                  [](const LifeRow &row) { return row.released; });
    build.time("lifetime_ns", "Lifetime", "Released − allocated.", [](const LifeRow &row) {
        return row.allocated == kNoInt || row.released == kNoInt ? kNoInt : row.released - row.allocated;
    });
    build.text("address", "Address", "Address of the memory.",
               [](const LifeRow &row) { return row.address ? fmt::format("0x{:x}", row.address) : std::string(); });
    const auto ofFailure = [&](ResultColumn &column) { column.hidden = failures == 0; };
    ofFailure(build.integer("failed_at_ns", "Failed", CellKind::Moment,
                            "Time at which it was requested and memory ran out.",
                            [](const LifeRow &row) { return row.failed; }));
    ofFailure(build.integer("asked_bytes", "Requested", CellKind::Bytes, "Requested bytes that could not be allocated.",
                            [](const LifeRow &row) { return row.asked; }));
    ofFailure(build.integer("then_allocated_bytes", "Allocated at failure", CellKind::Bytes,
                            "Memory that the program had on the device when the allocation failed.",
                            [](const LifeRow &row) { return row.allocatedThen; }));
    ofFailure(build.integer("then_reserved_bytes", "Reserved at failure", CellKind::Bytes,
                            "Memory that the program's allocator had reserved there when the allocation failed.",
                            [](const LifeRow &row) { return row.reservedThen; }));
    for (const LifeRow &row : rows)
        table.evidence.push_back({scope.trace(), SliceId(row.slice)});
    if (trace.memory.time.empty() && rows.empty())
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::Memory));
    addNotes(scope.facts().memory(), failures, table);
    return table;
}

} // namespace riffle
