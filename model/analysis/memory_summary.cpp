// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/slice_sweep.h"
#include "model/analysis/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/parallel.h"
#include "model/trace/source_text.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

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

struct Row {
    std::string device, name;
    bool reserved = false;
    uint32_t depth = 0;
    Sums sums;
    int64_t peakAllocated = kNoInt, peakReserved = kNoInt;
};

/// A device, and whether it is about memory that its allocator reserved or gave to the program.
struct PlaceKey {
    int32_t type, id;
    bool reserved;
    auto operator<=>(const PlaceKey &) const = default;
};

struct Place {
    Sums sums;
    int64_t peakAllocated = kNoInt, peakReserved = kNoInt;
    uint32_t last = 0; ///< row of the memory table
    std::unordered_map<uint32_t, Sums> byName; ///< by StringId

    void add(const Place &more)
    {
        sums.add(more.sums);
        peakAllocated = std::max(peakAllocated, more.peakAllocated);
        peakReserved = std::max(peakReserved, more.peakReserved);
        last = std::max(last, more.last);
        for (const auto &[name, own] : more.byName)
            byName[name].add(own);
    }
};
using Places = std::map<PlaceKey, Place>;

std::string deviceName(int32_t type, int32_t id)
{
    if (type == 0)
        return "CPU";
    return (type == 1 || type == 6 ? "GPU" : "device type " + std::to_string(type) + ", ") + std::to_string(id);
}

/// What Paddle writes beside the current numbers; only the last event of a place is asked for it.
int64_t argumentOf(const Trace &trace, uint32_t row, std::string_view key)
{
    if (!trace.source)
        return kNoInt;
    const auto text = trace.source->read(trace.memory.sourceOffset[row], trace.memory.sourceLength[row]);
    if (!text)
        return kNoInt;
    for (const EventArgument &event : argumentsOf(*text))
        if (event.key == "args")
            for (const EventArgument &argument : argumentsOf(event.value))
                if (const auto value = integerId(plainText(argument.value)); argument.key == key && value)
                    return value->bits;
    return kNoInt;
}

constexpr size_t kRange = 1 << 17; ///< rows of the memory table that one thread does at a time

/// Sums over some rows of the memory table, which are in order of time.
class Accounts {
public:
    Accounts(const Scope &scope, const std::unordered_set<uint64_t> &reserved)
        : m_scope(scope), m_trace(scope.facts().trace()), m_reader(m_trace), m_reserved(reserved),
          m_isPaddle(m_trace.info.format == "Paddle JSON"), m_sweeps(m_trace.lanes.size())
    {
    }

    Places make(size_t first, size_t last)
    {
        Places places;
        const MemoryTable &memory = m_trace.memory;
        for (size_t at = first; at < last; ++at) {
            // Paddle's events are cut off to whole microseconds, its slices are not.
            const Ns time = memory.time[at] + (m_isPaddle ? 500 : 0);
            const uint32_t lane = memory.lane[at];
            if (!m_scope.holds(time) || !m_scope.hasHostLane(LaneId(lane)))
                continue;
            Place &place = places[{memory.deviceType[at], memory.deviceId[at], m_reserved.contains(memory.sourceOffset[at])}];
            place.sums.add(memory.bytes[at]);
            place.peakAllocated = std::max(place.peakAllocated, memory.totalAllocated[at]);
            place.peakReserved = std::max(place.peakReserved, memory.totalReserved[at]);
            place.last = static_cast<uint32_t>(at);
            addNames(innermostAt(lane, time), memory.bytes[at], place);
        }
        return places;
    }

private:
    SliceId innermostAt(uint32_t lane, Ns time)
    {
        if (lane >= m_sweeps.size())
            return {};
        if (!m_sweeps[lane])
            m_sweeps[lane].emplace(m_trace, LaneId(lane), time);
        return m_sweeps[lane]->innermostAt(time);
    }
    void addNames(SliceId innermost, int64_t bytes, Place &place)
    {
        if (!m_isPaddle) {
            const CallTree &calls = m_scope.facts().calls();
            const uint32_t call = calls.operatorOfSlice(innermost.value);
            place.byName[call != CallTree::kNone && m_reader.seek(calls.slice[call]) ? m_reader.name() : 0].add(bytes);
            return;
        }
        if (!m_reader.seek(innermost.value)) {
            place.byName[0].add(bytes);
            return;
        }
        if (m_trace.string(m_reader.category()) != "OperatorInner")
            place.byName[m_reader.name()].add(bytes);
        if (m_reader.seek(m_reader.parent()) && m_trace.string(m_reader.category()) == "Operator")
            place.byName[m_reader.name()].add(bytes);
    }

    const Scope &m_scope;
    const Trace &m_trace;
    SliceReader m_reader;
    const std::unordered_set<uint64_t> &m_reserved;
    const bool m_isPaddle;
    std::vector<std::optional<SliceSweep>> m_sweeps; ///< by lane
};

Places placesOf(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    // Of memory that was reserved only the event's category says so.
    std::unordered_set<uint64_t> reserved; // source offsets
    for (size_t at = 0; at < trace.instants.time.size(); ++at)
        if (trace.string(trace.instants.category[at]).starts_with("Reserved"))
            reserved.insert(trace.instants.sourceOffset[at]);
    Places places;
    std::mutex mutex;
    parallelRanges(trace.memory.time.size(), kRange, [&](size_t first, size_t last) {
        const Places some = Accounts(scope, reserved).make(first, last);
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

} // namespace

ResultTable memoryTable(const Scope &scope, std::string_view, const Task &)
{
    const Trace &trace = scope.facts().trace();
    std::vector<Row> rows;
    for (const auto &[key, place] : placesOf(scope)) {
        const std::string device = deviceName(key.type, key.id);
        rows.push_back({device, device, key.reserved, 0, place.sums, place.peakAllocated, place.peakReserved});
        std::vector<std::pair<uint32_t, Sums>> names(place.byName.begin(), place.byName.end());
        std::sort(names.begin(), names.end(), [](const auto &a, const auto &b) {
            return std::pair(b.second.increase(), a.first) < std::pair(a.second.increase(), b.first);
        });
        for (const auto &[name, sums] : names)
            rows.push_back({device, std::string(trace.string(name)), key.reserved, 1, sums});
    }
    ResultTable table;
    TableBuilder<Row> build(table, rows);
    build.text("name", "Name", "The device, and below it the operators in which it happened. Paddle's inner parts count for their operator, too.",
               [](const Row &row) { return row.name; }).unnamed = "(no operator)";
    build.text("device", "Device", "Whose memory it is.", [](const Row &row) { return row.device; });
    build.text("type", "Type", "Allocated by the program, or reserved by its allocator.", [](const Row &row) { return row.reserved ? "Reserved" : "Allocated"; });
    build.count("allocations", "Allocations", "How often memory was allocated.", [](const Row &row) { return row.sums.allocations; });
    build.count("frees", "Frees", "How often memory was freed.", [](const Row &row) { return row.sums.frees; });
    const auto bytes = [&](const char *column, const char *title, const char *formula, auto get) { build.integer(column, title, CellKind::Bytes, formula, get); };
    bytes("allocated_bytes", "Allocated", "Summed size of the allocations.", [](const Row &row) { return row.sums.allocated; });
    bytes("freed_bytes", "Freed", "Summed size of what was freed.", [](const Row &row) { return row.sums.freed; });
    bytes("increase_bytes", "Increase", "Allocated − freed.", [](const Row &row) { return row.sums.increase(); });
    bytes("peak_allocated_bytes", "Peak allocated", "The most that the program had on the device.", [](const Row &row) { return row.peakAllocated; });
    bytes("peak_reserved_bytes", "Peak reserved", "The most that its allocator had reserved there.", [](const Row &row) { return row.peakReserved; });
    for (const Row &row : rows)
        table.depth.push_back(row.depth);
    if (rows.empty())
        table.absence = "No memory events were recorded: profile_memory=True (Paddle: profile_memory: True) turns them on.";
    return table;
}

} // namespace riffle
