// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/sealer.h"

#include <algorithm>

namespace riffle {

void Sealer::dropEmptyLanes()
{
    std::vector<uint8_t> used(m_trace->lanes.size(), 0);
    for (uint32_t lane = 0; lane < used.size(); ++lane) {
        const Lane &one = m_trace->lanes[lane];
        used[lane] = one.slices > 0 || one.instantBegin < one.instantEnd || one.counterBegin < one.counterEnd;
    }
    for (const uint32_t lane : m_trace->memory.lane)
        used[lane] = 1;
    // Lane ids stay as they are: a lane without anything in it has no name, no segment and is not shown.
    for (uint32_t lane = 0; lane < used.size(); ++lane)
        m_trace->lanes[lane].empty = !used[lane];
}

void Sealer::measureSpan()
{
    TimeSpan all{INT64_MAX, INT64_MIN};
    const auto take = [](TimeSpan &span, Ns begin, Ns end) {
        span.begin = std::min(span.begin, begin);
        span.end = std::max(span.end, end);
    };
    // What a clamped time says is not worth a view of three hundred years.
    const auto takeSane = [&](TimeSpan &span, Ns begin, Ns end) {
        if (begin > kEarliestTime && begin < kLatestTime)
            take(span, begin, end);
    };
    const auto takeSegment = [&](TimeSpan &span, const Segment &segment) {
        if (segment.span.begin > kEarliestTime && segment.span.end < kLatestTime)
            return take(span, segment.span.begin, segment.span.end);
        for (uint32_t at = 0; at < segment.size(); ++at)
            takeSane(span, segment.slices.start[at], segment.end(at));
    };
    for (Lane &lane : m_trace->lanes) {
        TimeSpan own{INT64_MAX, INT64_MIN};
        for (const uint32_t segment : lane.segments)
            takeSegment(own, *m_trace->segments[segment]);
        for (uint32_t row = lane.counterBegin; row < lane.counterEnd; ++row)
            takeSane(own, m_trace->counters.time[row], m_trace->counters.time[row]);
        if (own.begin > own.end)
            continue;
        lane.span = own;
        take(all, own.begin, own.end);
    }
    if (all.begin > all.end) {
        // Nothing but instants and memory events: they make the span then.
        for (const Ns time : m_trace->instants.time)
            takeSane(all, time, time);
        for (const Ns time : m_trace->memory.time)
            takeSane(all, time, time);
    }
    m_trace->span = all.begin > all.end ? TimeSpan{} : all;
}

Result<std::shared_ptr<Trace>> Sealer::seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                            const ImportReport &report, Task task)
{
    m_trace->info = std::move(info);
    m_trace->source = std::move(source);
    m_trace->report = report;
    using Stage = void (Sealer::*)();
    const auto run = [&](Stage stage) {
        if (!task.stopped() && !m_outOfMemory)
            (this->*stage)();
    };
    run(&Sealer::mergeCounts);
    run(&Sealer::settleStarts);
    run(&Sealer::mergeStrings);
    run(&Sealer::mergeLanes);
    run(&Sealer::applyMetadata);
    run(&Sealer::pairBeginsAndEnds);
    run(&Sealer::bucketByLane);
    run(&Sealer::prepareFlows);
    // What touches the flows beside what touches the slices: a trace may have one long lane, which one thread nests.
    parallelJobs({[&] { orderAndNest(task); }, [&] { run(&Sealer::orderFlows); }});
    run(&Sealer::gatherSlices);
    parallelJobs({[&] { run(&Sealer::gatherDetails); }, [&] { run(&Sealer::gatherFlows); }});
    run(&Sealer::reportUnboundFlows);
    run(&Sealer::findSteps);
    run(&Sealer::makeSegments);
    run(&Sealer::dropEmptyLanes);
    run(&Sealer::measureSpan);
    if (task.stopped())
        return Error{"cancelled", m_trace->info.path, std::nullopt, ErrorKind::Cancelled};
    if (m_outOfMemory)
        return Error{"neither memory nor disk has room for the trace's columns", m_trace->info.path, std::nullopt};
    for (const auto &segment : m_trace->segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.flags[at] & slice_flag::Crossing)
                m_trace->report.add(Trouble::CrossingSlices, segment->slices.sourceOffset[at], {});
    return m_trace;
}

TraceBuilder::TraceBuilder(std::shared_ptr<ColumnMemory> memory) : m_memory(std::move(memory)) {}

TraceWriter &TraceBuilder::newWriter()
{
    m_writers.push_back(std::make_unique<TraceWriter>(m_memory));
    return *m_writers.back();
}

Result<std::shared_ptr<Trace>> TraceBuilder::seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                                  const ImportReport &report, Task task, uint32_t segmentSlices)
{
    for (const auto &writer : m_writers)
        if (writer->outOfMemory())
            return Error{"neither memory nor disk has room for the trace's columns", info.path, std::nullopt};
    if (task.progress)
        task.progress->stage = Progress::Stage::Sealing;
    Sealer sealer(m_writers, m_memory, segmentSlices, m_rowless);
    Result<std::shared_ptr<Trace>> trace = Error{};
    try {
        trace = sealer.seal(std::move(info), std::move(source), report, task);
    } catch (const std::bad_alloc &) {
        trace = Error{"neither memory nor disk has room to seal the trace", {}, std::nullopt};
    }
    m_writers.clear();
    m_memory->releaseKept();
    return trace;
}

} // namespace riffle
