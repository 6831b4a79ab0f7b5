// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/fragmentation.h"

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/hole_tracker.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/ids.h"

#include <algorithm>
#include <array>

namespace riffle {

namespace {

constexpr size_t kFigures = 5;
/// The samples kept per stretch: the first one, and those with the minimum and maximum of each figure.
constexpr uint32_t kSamplesAStretch = 1 + 2 * kFigures;

std::array<double, kFigures> extremesOf(const AllocatorFigures &figures)
{
    return {static_cast<double>(figures.allocated), static_cast<double>(figures.reserved),
            static_cast<double>(figures.largestFree), figures.fragmentation(), figures.squaredFragmentation()};
}

/// Collects the samples to keep of a stretch of events.
class Stretch {
public:
    void take(uint32_t event, const AllocatorFigures &figures)
    {
        const auto values = extremesOf(figures);
        if (m_kept.empty()) {
            m_kept.assign(kSamplesAStretch, {event, figures});
            m_least = m_most = values;
            return;
        }
        for (size_t at = 0; at < kFigures; ++at) {
            if (values[at] < m_least[at]) {
                m_least[at] = values[at];
                m_kept[1 + 2 * at] = {event, figures};
            }
            if (values[at] > m_most[at]) {
                m_most[at] = values[at];
                m_kept[2 + 2 * at] = {event, figures};
            }
        }
    }
    void moveTo(std::vector<AllocatorSample> &samples)
    {
        std::sort(m_kept.begin(), m_kept.end(),
                  [](const AllocatorSample &a, const AllocatorSample &b) { return a.event < b.event; });
        for (const AllocatorSample &sample : m_kept)
            if (samples.empty() || samples.back().event != sample.event)
                samples.push_back(sample);
        m_kept.clear();
    }

private:
    std::vector<AllocatorSample> m_kept;
    std::array<double, kFigures> m_least{}, m_most{};
};

class Peaks {
public:
    void take(uint32_t event, const HoleTracker &tracker)
    {
        for (const auto &[stream, level] : tracker.streams())
            raise(m_streams[stream], event, level);
        for (const auto &[pool, level] : tracker.pools())
            raise(m_pools[pool], event, level);
    }
    std::vector<AllocatorPeak> list() const
    {
        std::vector<AllocatorPeak> all;
        for (const auto &[stream, peak] : m_streams) {
            all.push_back(peak);
            all.back().stream = stream;
        }
        for (const auto &[pool, peak] : m_pools) {
            all.push_back(peak);
            all.back().isPool = true;
            all.back().pool = pool;
        }
        return all;
    }

private:
    static void raise(AllocatorPeak &peak, uint32_t event, const HoleTracker::Level &level)
    {
        const auto one = [&](uint64_t now, uint64_t &most, uint32_t &at) {
            if (now > most) {
                most = now;
                at = event;
            }
        };
        one(level.allocated, peak.allocated, peak.allocatedEvent);
        one(level.active, peak.active, peak.activeEvent);
        one(level.reserved, peak.reserved, peak.reservedEvent);
    }

    std::map<int64_t, AllocatorPeak> m_streams;
    std::map<uint32_t, AllocatorPeak> m_pools;
};

int64_t numberOf(const AllocatorMap &map, uint32_t event)
{
    return event == kNoRow ? std::numeric_limits<int64_t>::min()
                           : static_cast<int64_t>(event - map.device().firstEvent);
}

} // namespace

AllocatorSeries allocatorSeries(const AllocatorMap &map, uint32_t most, const Task &task)
{
    AllocatorSeries series;
    const DeviceReplay &device = map.device();
    HoleTracker tracker(map);
    series.samples.push_back({kNoRow, tracker.figures()});
    Peaks peaks;
    peaks.take(kNoRow, tracker);
    if (device.events > most)
        series.stretch = static_cast<uint32_t>(uint64_t(device.events) * kSamplesAStretch / std::max(most, 1u)) + 1;
    Stretch stretch;
    for (uint32_t at = 0; at < device.events; ++at) {
        const uint32_t event = device.firstEvent + at;
        if (!tracker.take(event) || (at % 4096 == 0 && task.stopped())) {
            series.complete = false;
            break;
        }
        const MemoryAction action = map.snapshot().events.action[event];
        if (action == MemoryAction::Alloc || action >= MemoryAction::SegmentAlloc)
            peaks.take(event, tracker);
        stretch.take(event, tracker.figures());
        if ((at + 1) % series.stretch == 0)
            stretch.moveTo(series.samples);
    }
    stretch.moveTo(series.samples);
    series.peaks = peaks.list();
    return series;
}

ResultTable allocatorSeriesTable(const AllocatorMap &map, const AllocatorSeries &series)
{
    using Row = AllocatorSample;
    ResultTable table;
    table.view = "series";
    table.title = "The allocator's figures over its history";
    TableBuilder<Row> build(table, series.samples);
    build.id("event", "Event",
             "number in the device's history; the row is the state after it; empty before the first event",
             [&](const Row &row) { return numberOf(map, row.event); });
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get) {
        build.integer(key, title, CellKind::Bytes, formula, [&](const Row &row) { return bytesOf(get(row.figures)); });
    };
    bytes("reserved", "Reserved", "sum of all segments", [](const AllocatorFigures &one) { return one.reserved; });
    bytes("allocated", "Allocated", "bytes that the program requested and has not freed",
          [](const AllocatorFigures &one) { return one.allocated; });
    bytes("pending", "Pending", "freed, but still waiting for other streams",
          [](const AllocatorFigures &one) { return one.pending; });
    bytes("in_blocks", "In blocks", "sizes of the blocks that are in use or pending",
          [](const AllocatorFigures &one) { return one.inBlocks; });
    bytes("free", "Free", "reserved − in blocks", [](const AllocatorFigures &one) { return one.free; });
    bytes("largest_free", "Largest hole", "", [](const AllocatorFigures &one) { return one.largestFree; });
    build.count("holes", "Holes", "", [](const Row &row) { return row.figures.holes; });
    build.count("segments", "Segments", "", [](const Row &row) { return row.figures.segments; });
    build.count("blocks", "Blocks", "", [](const Row &row) { return row.figures.blocks; });
    build.share("fragmentation", "Fragmentation", "1 − largest hole / free",
                [](const Row &row) { return row.figures.fragmentation(); });
    build.share("squared_fragmentation", "Σ hole² / (Σ segment)²", "as in memory_viz",
                [](const Row &row) { return row.figures.squaredFragmentation(); });
    if (!series.complete)
        table.notes.push_back("The history has so many contradictory segment events that the rest was left out.");
    return table;
}

ResultTable allocatorPeaksTable(const AllocatorMap &map, const AllocatorSeries &series)
{
    using Row = AllocatorPeak;
    ResultTable table;
    table.view = "peaks";
    table.title = "Peaks by stream and pool";
    TableBuilder<Row> build(table, series.peaks);
    build.text("of", "Of", "a stream or a pool", [&](const Row &row) {
        return row.isPool ? memoryPoolName(map.snapshot(), row.pool) : memoryStreamName(row.stream);
    });
    const auto peak = [&](const char *key, const char *title, const char *formula, auto bytes, auto event) {
        build.integer(std::string("peak_") + key, title, CellKind::Bytes, formula,
                      [&](const Row &row) { return bytesOf(bytes(row)); });
        build.id(std::string(key) + "_event", "after event",
                 "number in the device's history of the first event with this peak; empty if the peak is before the "
                 "history",
                 [&](const Row &row) { return numberOf(map, event(row)); });
    };
    peak(
        "allocated", "Peak allocated", "bytes that the program requested and has not freed",
        [](const Row &row) { return row.allocated; }, [](const Row &row) { return row.allocatedEvent; });
    peak(
        "active", "Peak active", "allocated, plus freed but still waiting for other streams",
        [](const Row &row) { return row.active; }, [](const Row &row) { return row.activeEvent; });
    peak(
        "reserved", "Peak reserved", "sum of all its segments", [](const Row &row) { return row.reserved; },
        [](const Row &row) { return row.reservedEvent; });
    if (!series.complete)
        table.notes.push_back("The history has so many contradictory segment events that the rest was left out.");
    return table;
}

} // namespace riffle
