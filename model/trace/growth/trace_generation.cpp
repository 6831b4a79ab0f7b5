// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/trace_growth.h"
#include "model/trace/seal/lane_measures.h"
#include "model/trace/seal/names_of_lanes.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace riffle {

namespace {

void widen(TimeSpan &span, TimeSpan by)
{
    span.begin = std::min(span.begin, by.begin);
    span.end = std::max(span.end, by.end);
}

} // namespace

void TraceGrowth::Counts::add(const TraceWriter &writer)
{
    for (const TraceWriter::Batch &batch : writer.m_batches) {
        for (size_t phase = 0; phase < batch.phases.size(); ++phase)
            if (batch.phases[phase])
                eventsByPhase[std::string(1, static_cast<char>(phase))] += batch.phases[phase];
        report.merge(batch.report);
        widen(recorded, batch.recorded);
    }
}

Result<std::shared_ptr<const Trace>>
TraceGrowth::generation(TraceInfo info, std::shared_ptr<const SourceText> source, const ImportReport &report,
                        const std::function<ImportReport(const ImportReport &)> &place)
{
    auto trace = std::make_shared<Trace>();
    trace->info = std::move(info);
    trace->source = std::move(source);
    trace->report = report;
    for (const Counts *counts : {&m_counts, &m_openCounts}) {
        for (const auto &[phase, count] : counts->eventsByPhase) {
            trace->info.eventsByPhase[phase] += count;
            trace->info.events += count;
        }
        trace->report.merge(counts->report);
    }
    TimeSpan recorded = trace->info.recorded.empty() ? TimeSpan{INT64_MAX, INT64_MIN} : trace->info.recorded;
    widen(recorded, m_counts.recorded);
    widen(recorded, m_openCounts.recorded);
    trace->info.recorded = recorded.begin > recorded.end ? TimeSpan{} : recorded;
    m_launches.report(trace->report, m_isFinished);
    if (m_left > 0)
        trace->report.add(Trouble::LeftWindow, 0, {}, m_left);

    fillLanes(*trace, edge());
    fillTimed(*trace);
    measureLanes(*trace, {m_instants.ranges(), m_counters.ranges(), m_memoryEvents.ranges()});
    trace->launches = m_launches.links();
    trace->strings = m_strings.table();
    applyNames(m_names, *trace);
    fillSteps(*trace);
    if (m_isFinished)
        reportCrossing(*trace);
    trace->report = place(trace->report);
    for (const GrowingLane &lane : m_lanes)
        if (lane.slices->outOfIds())
            return Error{"The trace has had more slices than there are ids.", trace->info.path, std::nullopt,
                         ErrorKind::Limit};
    return std::shared_ptr<const Trace>(std::move(trace));
}

void TraceGrowth::fillLanes(Trace &trace, Ns now)
{
    trace.processes = m_processes;
    struct Part {
        std::shared_ptr<const Segment> segment;
        uint32_t lane;
    };
    std::vector<Part> parts;
    for (uint32_t number = 0; number < m_lanes.size(); ++number) {
        const GrowingLane &from = m_lanes[number];
        LaneGrowth::View view = from.slices->view(now);
        Lane &lane = trace.lanes.emplace_back();
        lane.process = from.process;
        lane.tid = from.key.tid;
        lane.kind = from.key.kind;
        lane.name = from.name;
        lane.rows = view.rows;
        lane.slices = view.slices;
        lane.longSlices = view.longSlices;
        for (const auto &segment : view.segments)
            parts.push_back({segment, number});
    }
    std::ranges::sort(parts, {}, [](const Part &part) { return part.segment->firstSlice; });
    for (uint32_t at = 0; at < parts.size(); ++at) {
        trace.segments.push_back(std::move(parts[at].segment));
        trace.lanes[parts[at].lane].segments.push_back(at);
    }
    trace.segmentsById = SegmentsById(trace.segments);
    for (Lane &lane : trace.lanes)
        std::ranges::sort(lane.segments, {}, [&](uint32_t at) { return trace.segments[at]->span.begin; });
}

void TraceGrowth::fillTimed(Trace &trace)
{
    if (!m_isFinished) {
        m_memoryEvents.advance();
        m_instants.advance();
        m_counters.advance();
    }
    trace.memory = m_memoryEvents.table();
    trace.instants = m_instants.table();
    trace.counters = m_counters.table();
}

void TraceGrowth::fillSteps(Trace &trace) const
{
    std::vector<Step> open;
    for (const GrowingLane &lane : m_lanes)
        lane.slices->visitOpen([&](const GrowingSlice &slice) {
            if (const std::string_view name = trace.string(slice.row.name); isStepMark(name))
                open.push_back({stepNumber(name), slice.id, {slice.row.start, slice.end()}});
        });
    const auto beginOf = [](const Step &step) { return step.span.begin; };
    std::ranges::stable_sort(open, {}, beginOf);
    trace.steps.reserve(m_steps.size() + open.size());
    std::ranges::merge(m_steps, open, std::back_inserter(trace.steps), {}, beginOf, beginOf);
}

} // namespace riffle
