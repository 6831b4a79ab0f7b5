// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/parallel.h"
#include "model/trace/source_text.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace riffle {

namespace {

struct Sums {
    int64_t allocations = 0, frees = 0;
    int64_t allocated = 0, freed = 0;
    void add(int64_t bytes)
    {
        (bytes < 0 ? frees : allocations) += 1;
        bytes < 0 ? freed -= bytes : allocated += bytes;
    }
    void add(const Sums &more)
    {
        allocations += more.allocations;
        frees += more.frees;
        allocated += more.allocated;
        freed += more.freed;
    }
    int64_t increase() const { return allocated - freed; }
};

struct Operator {
    Sums self, total;
    void add(const Operator &more)
    {
        self.add(more.self);
        total.add(more.total);
    }
};

struct OperatorMemoryRow {
    std::string device, name;
    bool reserved = false;
    uint32_t depth = 0;
    Sums sums;
    int64_t peakAllocated = kNoInt, peakReserved = kNoInt;
    int64_t calls = kNoInt;
    std::optional<Sums> total = {};
};

/// A device, and whether the memory is what its allocator reserved or what it gave to the program.
struct PlaceKey {
    int32_t type, id;
    bool reserved;
    auto operator<=>(const PlaceKey &) const = default;
};

struct LanePlace {
    Sums sums;
    int64_t peakAllocated = kNoInt, peakReserved = kNoInt;
    uint32_t last = 0;                             ///< its last row in the memory table
    std::unordered_map<uint32_t, Operator> byName; ///< by StringId

    void add(const LanePlace &more)
    {
        sums.add(more.sums);
        peakAllocated = std::max(peakAllocated, more.peakAllocated);
        peakReserved = std::max(peakReserved, more.peakReserved);
        last = std::max(last, more.last);
        for (const auto &[name, own] : more.byName)
            byName[name].add(own);
    }
};
using Places = std::map<PlaceKey, LanePlace>;

/// A number, such as a peak, that Paddle writes with every event. Only the last event of each place is read.
int64_t argumentOf(const Trace &trace, uint32_t row, std::string_view key)
{
    if (!trace.source)
        return kNoInt;
    const auto arguments = trace.source->arguments({trace.memory.sourceOffset[row], trace.memory.sourceLength[row]});
    const ArgumentValue *value = arguments ? findArgument(*arguments, {key}) : nullptr;
    const auto number = value ? value->integer() : std::nullopt;
    return number ? number->bits : kNoInt;
}

constexpr size_t kRange = 1 << 17; ///< rows of the memory table that a thread processes at a time

/// Computes sums over some rows of the memory table, which are in order of time.
class Accounts {
public:
    explicit Accounts(const Scope &scope)
        : m_scope(scope)
        , m_trace(scope.facts().trace())
        , m_lives(scope.facts().memory())
        , m_calls(scope.facts().calls())
        , m_reader(m_trace)
        , m_isPaddle(m_trace.info.format == "Paddle JSON")
    {
    }

    Places make(size_t first, size_t last)
    {
        Places places;
        const MemoryTable &memory = m_trace.memory;
        for (size_t at = first; at < last; ++at) {
            const uint32_t row = static_cast<uint32_t>(at);
            if (!m_scope.holds(TraceMemory::timeOf(m_trace, row)) || !m_scope.hasHostLane(LaneId(memory.lane[at])))
                continue;
            LanePlace &place = places[{memory.deviceType[at], memory.deviceId[at], m_lives.reserved[at] != 0}];
            place.sums.add(memory.bytes[at]);
            place.peakAllocated = std::max(place.peakAllocated, memory.totalAllocated[at]);
            place.peakReserved = std::max(place.peakReserved, memory.totalReserved[at]);
            place.last = row;
            m_isPaddle ? addPaddleNames(row, place) : addOperators(row, place);
        }
        return places;
    }

private:
    void addOperators(uint32_t row, LanePlace &place)
    {
        const int64_t bytes = m_trace.memory.bytes[row];
        const uint32_t innermost = m_lives.operatorOf(m_calls, row);
        if (innermost == CallTree::kNone) {
            place.byName[0].self.add(bytes);
            return;
        }
        m_names.clear();
        for (uint32_t call = innermost; call != CallTree::kNone; call = m_calls.operatorAround(call)) {
            if (!m_reader.seek(m_calls.slice[call]))
                continue;
            const uint32_t name = m_reader.name();
            if (call == innermost)
                place.byName[name].self.add(bytes);
            if (std::find(m_names.begin(), m_names.end(), name) != m_names.end())
                continue; // inside another operator of the same name
            m_names.push_back(name);
            place.byName[name].total.add(bytes);
        }
    }
    void addPaddleNames(uint32_t row, LanePlace &place)
    {
        const int64_t bytes = m_trace.memory.bytes[row];
        if (!m_reader.seek(m_lives.slice[row])) {
            place.byName[0].self.add(bytes);
            return;
        }
        if (m_trace.string(m_reader.category()) != "OperatorInner")
            place.byName[m_reader.name()].self.add(bytes);
        if (m_reader.seek(m_reader.parent()) && m_trace.string(m_reader.category()) == "Operator")
            place.byName[m_reader.name()].self.add(bytes);
    }

    const Scope &m_scope;
    const Trace &m_trace;
    const TraceMemory &m_lives;
    const CallTree &m_calls;
    SliceReader m_reader;
    const bool m_isPaddle;
    std::vector<uint32_t> m_names; ///< of the operators around one row
};

Places placesOf(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    Places places;
    std::mutex mutex;
    scope.facts().memory(); // computed before several threads need them
    scope.facts().calls();
    parallelRanges(trace.memory.time.size(), kRange, [&](size_t first, size_t last) {
        const Places some = Accounts(scope).make(first, last);
        const std::scoped_lock lock(mutex);
        for (const auto &[key, place] : some)
            places[key].add(place);
    });
    if (trace.info.format == "Paddle JSON")
        for (auto &[key, place] : places) {
            place.peakAllocated = std::max(place.peakAllocated, argumentOf(trace, place.last, "peak_allocated"));
            place.peakReserved = std::max(place.peakReserved, argumentOf(trace, place.last, "peak_reserved"));
        }
    return places;
}

/// The number of calls in the scope of the operators with these names.
std::unordered_map<uint32_t, int64_t> callsOf(const Scope &scope, const Places &places)
{
    const Trace &trace = scope.facts().trace();
    std::unordered_map<uint32_t, int64_t> counts;
    for (const auto &[key, place] : places)
        for (const auto &[name, sums] : place.byName)
            counts.emplace(name, 0);
    const CallTree &calls = scope.facts().calls();
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size() && !counts.empty(); ++call)
        if (calls.isOperator[call] && reader.seek(calls.slice[call]) && scope.holds(reader.start()) &&
            scope.hasHostLane(reader.lane()))
            if (const auto found = counts.find(reader.name()); found != counts.end())
                ++found->second;
    return counts;
}

} // namespace

ResultTable memoryTable(const Scope &scope, std::string_view)
{
    const Trace &trace = scope.facts().trace();
    const bool isPaddle = trace.info.format == "Paddle JSON";
    const Places places = placesOf(scope);
    const auto calls = isPaddle ? std::unordered_map<uint32_t, int64_t>() : callsOf(scope, places);
    std::vector<OperatorMemoryRow> rows;
    for (const auto &[key, place] : places) {
        const std::string device = memoryPlaceName(key.type, key.id);
        rows.push_back({device, device, key.reserved, 0, place.sums, place.peakAllocated, place.peakReserved});
        std::vector<std::pair<uint32_t, Operator>> names(place.byName.begin(), place.byName.end());
        std::sort(names.begin(), names.end(), [&](const auto &a, const auto &b) {
            return std::pair(b.second.self.increase(), trace.string(a.first)) <
                   std::pair(a.second.self.increase(), trace.string(b.first));
        });
        for (const auto &[name, sums] : names) {
            rows.push_back({device, std::string(trace.string(name)), key.reserved, 1, sums.self});
            if (name == 0 || isPaddle)
                continue;
            rows.back().total = sums.total;
            rows.back().calls = calls.at(name);
        }
    }
    ResultTable table;
    TableBuilder<OperatorMemoryRow> build(table, rows);
    build
        .text("name", "Name",
              "The device, and below it the operators that allocated or freed memory. Paddle's inner parts also count "
              "for their operator.",
              [](const OperatorMemoryRow &row) { return row.name; })
        .unnamed = "(no operator)";
    build.text("device", "Device", "The device that the memory belongs to.",
               [](const OperatorMemoryRow &row) { return row.device; });
    build.text("type", "Type", "Allocated by the program, or reserved by its allocator.",
               [](const OperatorMemoryRow &row) { return row.reserved ? "Reserved" : "Allocated"; });
    build.count("allocations", "Allocations", "Number of allocations.",
                [](const OperatorMemoryRow &row) { return row.sums.allocations; });
    build.count("frees", "Frees", "Number of frees.", [](const OperatorMemoryRow &row) { return row.sums.frees; });
    const auto bytes = [&](const char *column, const char *title, const char *formula, auto get) {
        build.integer(column, title, CellKind::Bytes, formula, get);
    };
    bytes("allocated_bytes", "Allocated", "Summed size of the allocations.",
          [](const OperatorMemoryRow &row) { return row.sums.allocated; });
    bytes("freed_bytes", "Freed", "Summed size of the frees.",
          [](const OperatorMemoryRow &row) { return row.sums.freed; });
    bytes("increase_bytes", "Increase", "Allocated − freed.",
          [](const OperatorMemoryRow &row) { return row.sums.increase(); });
    const auto total = [](int64_t (*get)(const Sums &)) {
        return [get](const OperatorMemoryRow &row) { return row.total ? get(*row.total) : kNoInt; };
    };
    build.count("calls", "Calls", "Number of calls of the operator.",
                [](const OperatorMemoryRow &row) { return row.calls; });
    build.count("total_allocations", "Total allocations",
                "Allocations in the operator and in operators inside it. Of nested calls of the same name, only the "
                "outermost counts.",
                total([](const Sums &sums) { return sums.allocations; }));
    bytes("total_allocated_bytes", "Total allocated", "Summed size of these allocations.",
          total([](const Sums &sums) { return sums.allocated; }));
    bytes("total_increase_bytes", "Total increase",
          "Allocated − freed in the operator and in operators inside it. Memory counts as freed where that happens.",
          total([](const Sums &sums) { return sums.increase(); }));
    bytes("peak_allocated_bytes", "Peak allocated", "The most memory that the program had on the device.",
          [](const OperatorMemoryRow &row) { return row.peakAllocated; });
    bytes("peak_reserved_bytes", "Peak reserved",
          "The most memory that the program's allocator had reserved on the device.",
          [](const OperatorMemoryRow &row) { return row.peakReserved; });
    for (const OperatorMemoryRow &row : rows)
        table.depth.push_back(row.depth);
    if (rows.empty())
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::Memory));
    return table;
}

} // namespace riffle
