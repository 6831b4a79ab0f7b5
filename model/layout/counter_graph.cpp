// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/counter_graph.h"

#include "model/base/format.h"
#include "model/trace/memory/memory_failures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace riffle {

namespace {

void widen(CounterGraph::Column &column, double low, double high)
{
    column.low = column.any ? std::min(column.low, low) : low;
    column.high = column.any ? std::max(column.high, high) : high;
    column.any = true;
}

} // namespace

CounterGraph::CounterGraph(riffle::Column<Ns> times, riffle::Column<double> values)
    : m_times(std::move(times))
    , m_values(values.slice(0, m_times.size()))
{
    index();
}

CounterGraph::CounterGraph(BigVector<Ns> times, BigVector<double> values)
{
    const auto owned =
        std::make_shared<const std::pair<BigVector<Ns>, BigVector<double>>>(std::move(times), std::move(values));
    m_times = {owned, owned->first.data(), owned->first.size()};
    m_values = {owned, owned->second.data(), std::min(owned->first.size(), owned->second.size())};
    index();
}

void CounterGraph::index()
{
    m_blocks.resize((m_values.size() + kBlock - 1) / kBlock);
    m_superBlocks.resize((m_blocks.size() + kBlock - 1) / kBlock);
    for (size_t i = 0; i < m_values.size(); ++i)
        if (std::isfinite(m_values[i]))
            widen(m_blocks[i / kBlock], m_values[i], m_values[i]);
    Column all;
    for (size_t i = 0; i < m_blocks.size(); ++i) {
        if (!m_blocks[i].any)
            continue;
        widen(m_superBlocks[i / kBlock], m_blocks[i].low, m_blocks[i].high);
        widen(all, m_blocks[i].low, m_blocks[i].high);
    }
    m_low = all.low;
    m_high = all.high;
}

CounterGraph::Column CounterGraph::range(size_t first, size_t last) const
{
    Column out;
    const auto take = [&out](const Column &column) {
        if (column.any)
            widen(out, column.low, column.high);
    };
    while (first < last) {
        if (first % (kBlock * kBlock) == 0 && first + kBlock * kBlock <= last) {
            take(m_superBlocks[first / (kBlock * kBlock)]);
            first += kBlock * kBlock;
        } else if (first % kBlock == 0 && first + kBlock <= last) {
            take(m_blocks[first / kBlock]);
            first += kBlock;
        } else {
            if (std::isfinite(m_values[first]))
                widen(out, m_values[first], m_values[first]);
            ++first;
        }
    }
    return out;
}

void CounterGraph::columns(const PixelGrid &grid, std::vector<Column> &out) const
{
    const int width = grid.width();
    out.assign(static_cast<size_t>(width), {});
    if (empty())
        return;
    auto at =
        static_cast<size_t>(std::lower_bound(m_times.begin(), m_times.end(), grid.span().begin) - m_times.begin());
    for (int x = 0; x < width; ++x) {
        // The first sample of the next column is usually near, so search for it with growing steps.
        const Ns bound = grid.next(x);
        size_t step = 1;
        size_t next = at;
        while (next < m_times.size() && m_times[next] < bound) {
            next += step;
            step *= 2;
        }
        const auto from = m_times.begin() + static_cast<std::ptrdiff_t>(step == 1 ? at : next - step / 2);
        const auto to = m_times.begin() + static_cast<std::ptrdiff_t>(std::min(next, m_times.size()));
        next = static_cast<size_t>(std::lower_bound(std::min(from, to), to, bound) - m_times.begin());
        // The value at the left edge counts too, unless a sample is exactly on the edge.
        out[static_cast<size_t>(x)] = range(at > 0 ? at - 1 : at, next);
        at = next;
    }
}

double CounterGraph::valueAt(Ns time) const
{
    const auto after = std::upper_bound(m_times.begin(), m_times.end(), time);
    if (after == m_times.begin())
        return std::numeric_limits<double>::quiet_NaN();
    return m_values[static_cast<size_t>(after - m_times.begin()) - 1];
}

namespace {

bool isBytes(std::string_view name)
{
    return name.find("ytes") != std::string_view::npos || name.find("emory") != std::string_view::npos ||
           name.find("llocated") != std::string_view::npos;
}

void addCounters(const Trace &trace, std::vector<TraceGraph> &out, const Task &task)
{
    const auto series = trace.counters.series.span();
    for (uint32_t id = 0; id < trace.lanes.size() && !task.stopped(); ++id) {
        const Lane &lane = trace.lanes[id];
        const uint32_t end = std::min<uint32_t>(lane.counterEnd, static_cast<uint32_t>(series.size()));
        for (uint32_t first = lane.counterBegin; first < end;) {
            uint32_t last = first;
            while (last < end && series[last] == series[first])
                ++last;
            TraceGraph graph;
            graph.lane = LaneId(id);
            const std::string name = trace.laneName(LaneId(id));
            const std::string key(trace.string(series[first]));
            const bool alone = first == lane.counterBegin && last == end;
            graph.title = alone || key.empty() ? name : name + " · " + key;
            graph.unit = isBytes(name) || isBytes(key) ? TraceGraph::Unit::Bytes : TraceGraph::Unit::Number;
            graph.graph = CounterGraph(trace.counters.time.slice(first, last - first),
                                       trace.counters.value.slice(first, last - first));
            out.push_back(std::move(graph));
            first = last;
        }
    }
}

void addMemory(const Trace &trace, std::vector<TraceGraph> &out, const Task &task)
{
    struct Samples {
        BigVector<Ns> times;
        BigVector<double> values;
    };
    struct Key {
        int32_t type;
        int32_t device;
        bool reserved;
        auto operator<=>(const Key &) const = default;
    };
    std::map<Key, Samples> found;
    const MemoryTable &memory = trace.memory;
    for (size_t row = 0; row < memory.time.size(); ++row) {
        if (row % 65536 == 0 && task.stopped())
            return;
        for (const bool reserved : {false, true}) {
            const int64_t total = reserved ? memory.totalReserved[row] : memory.totalAllocated[row];
            if (total == kNoInt || (reserved && memory.deviceType[row] == 0))
                continue;
            Samples &samples = found[{memory.deviceType[row], memory.deviceId[row], reserved}];
            samples.times.push_back(memory.time[row]);
            samples.values.push_back(static_cast<double>(total));
        }
    }
    const std::vector<MemoryFailure> failures = memoryFailures(trace);
    for (auto &[key, samples] : found) {
        TraceGraph graph;
        for (const MemoryFailure &failure : failures)
            if (failure.deviceType == key.type && failure.deviceId == key.device)
                graph.marks.push_back(
                    {failure.time, failure.instant,
                     "Out of memory" + (failure.asked == kNoInt ? "" : ": requested " + formatBytes(failure.asked))});
        graph.device = key.type == 0 ? -1 : std::max(0, key.device);
        graph.title = key.reserved ? "Memory reserved" : "Memory allocated";
        graph.unit = TraceGraph::Unit::Bytes;
        graph.graph = CounterGraph(std::move(samples.times), std::move(samples.values));
        out.push_back(std::move(graph));
    }
}

} // namespace

std::vector<TraceGraph> graphsOf(const Trace &trace, Task task)
{
    std::vector<TraceGraph> graphs;
    addCounters(trace, graphs, task);
    addMemory(trace, graphs, task);
    for (TraceGraph &graph : graphs)
        graph.end = trace.span.end;
    return graphs;
}

} // namespace riffle
