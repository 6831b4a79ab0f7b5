// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/sealer.h"
#include "model/trace/seal/lane_measures.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

template <typename Table>
[[maybe_unused]] bool equallyLong(const Table &table)
{
    return std::apply([](const auto &first, const auto &...more) { return ((more.size() == first.size()) && ...); },
                      table.members());
}

[[maybe_unused]] bool ascends(const Column<uint32_t> &column) { return std::is_sorted(column.begin(), column.end()); }

/// True if the rows of a side table are those of slices of the segment, in their order.
template <typename Table>
[[maybe_unused]] bool fitsSegment(const Table &table, const Segment &segment)
{
    return equallyLong(table) && ascends(table.slice) &&
           (table.slice.empty() || (table.slice[0] >= segment.firstSlice &&
                                    table.slice[table.slice.size() - 1] - segment.firstSlice < segment.size()));
}

/// Asserts the properties of a sealed trace that its readers rely on.
void assertSealed([[maybe_unused]] const Trace &trace)
{
    assert(std::ranges::adjacent_find(trace.segments, [](const auto &a, const auto &b) {
               return a->firstSlice + a->size() != b->firstSlice;
           }) == trace.segments.end());
    assert(std::ranges::all_of(trace.segments, [&](const auto &segment) {
        return segment->size() > 0 && segment->lane.value < trace.lanes.size() && equallyLong(segment->slices) &&
               equallyLong(segment->nesting) && segment->nesting.self.size() == segment->size();
    }));
    assert(std::ranges::all_of(trace.segments, [](const auto &segment) {
        return ascends(segment->rowBegin) && segment->rowBegin[segment->rows()] == segment->size();
    }));
    assert(std::ranges::all_of(trace.lanes, [&](const Lane &lane) {
        return lane.process.value < trace.processes.size() && lane.instantEnd <= trace.instants.time.size() &&
               lane.counterEnd <= trace.counters.time.size() && std::ranges::is_sorted(lane.segments);
    }));
    assert(std::ranges::all_of(trace.segments, [&](const auto &segment) {
        return std::apply([&](const auto &...tables) { return (fitsSegment(tables, *segment) && ...); },
                          segment->SideTables::members());
    }));
    assert(equallyLong(trace.instants) && ascends(trace.instants.lane));
    assert(equallyLong(trace.counters) && ascends(trace.counters.lane));
    assert(equallyLong(trace.memory) && std::is_sorted(trace.memory.time.begin(), trace.memory.time.end()));
    assert(equallyLong(trace.flows) && trace.flowsBySlice.size() <= trace.flows.slice.size());
    assert(trace.strings.count() > 0 && trace.strings.at(0).empty());
    assert(std::ranges::is_sorted(trace.steps, {}, [](const Step &step) { return step.span.begin; }));
}

} // namespace

Result<std::shared_ptr<Trace>> Sealer::seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                            const ImportReport &report, Task task)
{
    m_trace->info = std::move(info);
    m_trace->source = std::move(source);
    m_trace->report = report;
    const auto run = [&](auto stage, const auto &...arguments) {
        if (!task.stopped() && !m_outOfMemory)
            (this->*stage)(arguments...);
    };
    run(&Sealer::mergeCounts);
    run(&Sealer::settleStarts);
    run(&Sealer::mergeStrings);
    run(&Sealer::mergeLanes);
    run(&Sealer::pairBeginsAndEnds);
    run(&Sealer::numberLanes);
    run(&Sealer::applyMetadata);
    run(&Sealer::bucketByLane);
    run(&Sealer::prepareFlows);
    // Flows are processed in parallel with slices, because a trace may have one long lane, which a single thread nests.
    parallelJobs({[&] { run(&Sealer::orderAndNest, task); }, [&] { run(&Sealer::orderFlows); }});
    run(&Sealer::gatherSlices);
    parallelJobs({[&] { run(&Sealer::gatherDetails); }, [&] { run(&Sealer::gatherFlows); }});
    run(&Sealer::reportUnboundFlows);
    run(&Sealer::findSteps);
    run(&Sealer::makeSegments);
    if (!task.stopped() && !m_outOfMemory)
        measureLanes(*m_trace, timedRangesOf(*m_trace));
    if (task.stopped())
        return Error{"The import was cancelled.", m_trace->info.path, std::nullopt, ErrorKind::Cancelled};
    if (m_outOfMemory)
        return Error{"Neither memory nor disk has room for the trace's columns.", m_trace->info.path, std::nullopt};
    reportCrossing(*m_trace);
    assertSealed(*m_trace);
    return m_trace;
}

TraceBuilder::TraceBuilder(std::shared_ptr<ColumnMemory> memory) : m_memory(std::move(memory)) {}

TraceWriter &TraceBuilder::newWriter()
{
    assert(!m_sealed);
    m_writers.push_back(std::make_unique<TraceWriter>(m_memory));
    return *m_writers.back();
}

Result<std::shared_ptr<const Trace>> TraceBuilder::seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                                        const ImportReport &report, Task task, uint32_t segmentSlices)
{
    assert(!m_sealed && segmentSlices > 0);
    m_sealed = true;
    for (const auto &writer : m_writers)
        if (writer->outOfMemory())
            return Error{"Neither memory nor disk has room for the trace's columns.", info.path, std::nullopt};
    if (task.progress)
        task.progress->stage = Progress::Stage::Sealing;
    Sealer sealer(m_writers, m_memory, segmentSlices, m_rowless);
    Result<std::shared_ptr<Trace>> trace = Error{};
    try {
        trace = sealer.seal(std::move(info), std::move(source), report, task);
    } catch (const std::bad_alloc &) {
        trace = Error{"Neither memory nor disk has room to seal the trace.", {}, std::nullopt};
    }
    m_writers.clear();
    m_memory->releaseKept();
    if (!trace)
        return trace.error();
    if (m_complete)
        m_complete(**trace);
    return std::shared_ptr<const Trace>(std::move(*trace));
}

} // namespace riffle
