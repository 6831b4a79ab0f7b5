// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/analysis/trace_memory/memory_peak.h"
#include "model/base/big_vector.h"

#include <map>

namespace riffle {

namespace {

struct PeakRow {
    std::string device, name;
    uint32_t depth = 0;
    int64_t bytes = 0, largest = kNoInt;
    int64_t allocations = kNoInt;
    Ns peakAt = kNoInt;
    int64_t whole = 0;
    uint32_t slice = SliceId::kNone; ///< of the largest allocation
};

class PeakRows {
public:
    PeakRows(const Scope &scope, std::string_view groupBy)
        : m_trace(scope.facts().trace())
        , m_lives(scope.facts().memory())
        , m_calls(scope.facts().calls())
        , m_reader(m_trace)
    {
        if (groupBy == "category")
            m_uses = memoryUses(scope);
        for (const MemoryPeak &peak : memoryPeaks(scope))
            add(peak);
    }
    std::vector<PeakRow> rows;

private:
    std::string groupOf(uint32_t life)
    {
        const TraceMemory::Life &one = m_lives.lives[life];
        if (one.allocated == TraceMemory::kNone)
            return "(before the recording)";
        if (!m_uses.empty())
            return memoryUseName(m_uses[life]);
        const uint32_t call = m_lives.operatorOf(m_calls, one.allocated);
        return call != CallTree::kNone && m_reader.seek(m_calls.slice[call])
                   ? std::string(m_trace.string(m_reader.name()))
                   : "(no operator)";
    }
    void add(const MemoryPeak &peak)
    {
        const MemoryTable &memory = m_trace.memory;
        PeakRow top;
        top.device = top.name = memoryPlaceName(peak.deviceType, peak.device);
        top.bytes = top.whole = peak.bytes;
        top.peakAt = memory.time[peak.row];
        top.slice = m_lives.slice[peak.row];
        std::map<std::string, PeakRow> groups;
        const auto grow = [&](PeakRow &row, int64_t bytes, int64_t count, uint32_t slice) {
            row.bytes = static_cast<int64_t>(uint64_t(row.bytes) + uint64_t(bytes)); // wraps if the file is damaged
            row.allocations = (row.allocations == kNoInt ? 0 : row.allocations) + count;
            if (row.largest == kNoInt || bytes > row.largest) {
                row.largest = bytes;
                row.slice = slice;
            }
        };
        for (const uint32_t life : peak.alive) {
            const auto &[allocated, released] = m_lives.lives[life];
            const int64_t bytes = allocated != TraceMemory::kNone
                                      ? memory.bytes[allocated]
                                      : static_cast<int64_t>(uint64_t(0) - uint64_t(memory.bytes[released]));
            grow(groups[groupOf(life)], bytes, 1, m_lives.slice[m_lives.lives[life].first()]);
        }
        top.allocations = static_cast<int64_t>(peak.alive.size());
        if (peak.before != 0) {
            PeakRow &before = groups["(before the recording)"];
            before.bytes = static_cast<int64_t>(uint64_t(before.bytes) + uint64_t(peak.before));
        }
        rows.push_back(top);
        const size_t first = rows.size();
        for (auto &[name, row] : groups) {
            row.device = top.device;
            row.name = name;
            row.depth = 1;
            row.whole = top.bytes;
            rows.push_back(row);
        }
        std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                         [](const PeakRow &a, const PeakRow &b) { return a.bytes > b.bytes; });
    }

    const Trace &m_trace;
    const TraceMemory &m_lives;
    const CallTree &m_calls;
    SliceReader m_reader;
    BigVector<MemoryUse> m_uses;
};

} // namespace

ResultTable memoryPeakTable(const Scope &scope, std::string_view groupBy)
{
    const std::vector<PeakRow> rows = PeakRows(scope, groupBy).rows;
    ResultTable table;
    TableBuilder<PeakRow> build(table, rows);
    build.names("name", "Name",
                groupBy == "category"
                    ? "The device, and below it what its memory was used for at the peak: a guess from "
                      "the stages of the steps in which it was allocated and released. Temporary: "
                      "within one outermost operator. Input: allocated while a batch is loaded. "
                      "Optimizer state: allocated in the optimizer and not released before it ended. "
                      "Gradient: allocated in backward and not released before it ended. Autograd "
                      "detail: allocated and released in backward. Activation: allocated in forward "
                      "and released in backward."
                    : "The device, and below it the operators that had allocated the memory that was in "
                      "use at the peak.",
                [](const PeakRow &row) { return row.name; });
    build.text("device", "Device", "The device that the memory belongs to.",
               [](const PeakRow &row) { return row.device; });
    ResultColumn &bytes =
        build.integer("bytes", "Size", CellKind::Bytes,
                      "For a device, the allocated memory that the profiler recorded; otherwise the sum of the "
                      "allocations. The row (before the recording) has the rest.",
                      [](const PeakRow &row) { return row.bytes; });
    bytes.barred = true;
    build.share("share", "Share", "Size / size of the device's row.",
                [](const PeakRow &row) { return ratio(row.bytes, row.whole); });
    build.count("allocations", "Allocations", "Number of allocations.",
                [](const PeakRow &row) { return row.allocations; });
    build.integer("largest_bytes", "Largest", CellKind::Bytes, "Size of the largest allocation.",
                  [](const PeakRow &row) { return row.largest; });
    build.integer("peak_at_ns", "Peak at", CellKind::Moment, "Time of the peak; the first one if there are several.",
                  [](const PeakRow &row) { return row.peakAt; });
    for (const PeakRow &row : rows) {
        table.depth.push_back(row.depth);
        table.evidence.push_back({scope.trace(), SliceId(row.slice)});
    }
    const Trace &trace = scope.facts().trace();
    if (trace.memory.time.empty())
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::Memory));
    else if (rows.empty())
        table.absence = "No memory event in the selection records how much memory was allocated in total (PyTorch "
                        "before 1.10 does not).";
    return table;
}

} // namespace riffle
