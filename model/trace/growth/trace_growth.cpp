// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/trace_growth.h"

#include "model/trace/table_rows.h"

#include <algorithm>
#include <charconv>

namespace riffle {

namespace {

/// Calls visit(row) for all rows of a table that is being filled.
template <template <template <typename> class> class TableT, typename F>
void forEachRow(const BlockTable<TableT> &table, F visit)
{
    for (uint32_t row = 0; row < table.rows(); ++row)
        visit(rowAt(table, row));
}

} // namespace

TraceGrowth::TraceGrowth(GrowthWindow window) : m_memory(std::move(window)) {}

TraceGrowth::Translation TraceGrowth::translate(const TraceWriter &writer)
{
    Translation to;
    for (uint32_t id = 0; id < writer.m_strings.count(); ++id)
        to.strings.push_back(m_strings.intern(writer.m_strings.text(id)));
    for (const TraceWriter::LaneEntry &entry : writer.m_lanes) {
        LaneKey key = entry.key;
        for (RawId *id : {&key.pid, &key.tid})
            if (id->kind == RawId::Kind::Text)
                id->bits = to.strings[static_cast<uint32_t>(id->bits)];
        key.name = to.strings[key.name];
        to.lanes.push_back(laneFor(key));
    }
    return to;
}

uint32_t TraceGrowth::laneFor(const LaneKey &key)
{
    const auto [found, isNew] = m_laneNumbers.try_emplace(key, static_cast<uint32_t>(m_lanes.size()));
    if (!isNew)
        return found->second;
    GrowingLane lane;
    lane.key = key;
    lane.process = processFor(key);
    if (key.kind == LaneKind::Counter)
        lane.name = StringId(key.name);
    lane.slices = std::make_unique<LaneGrowth>(
        LaneId(found->second), key.kind == LaneKind::Stream ? LaneGrowth::Policy::Flat : LaneGrowth::Policy::Nested,
        m_ids, m_memory, m_merger);
    m_lanes.push_back(std::move(lane));
    return found->second;
}

ProcessId TraceGrowth::processFor(const LaneKey &key)
{
    const bool isDevice = key.kind == LaneKind::Stream;
    const auto [found, isNew] =
        m_processNumbers.try_emplace({key.pid.kind, key.pid.bits, isDevice}, static_cast<uint32_t>(m_processes.size()));
    if (isNew) {
        Process &process = m_processes.emplace_back();
        process.pid = key.pid;
        if (isDevice && key.pid.kind == RawId::Kind::Signed && key.pid.bits >= 0 && key.pid.bits < 65536)
            process.device = static_cast<int32_t>(key.pid.bits);
    }
    return ProcessId(found->second);
}

void TraceGrowth::add(const TraceWriter &writer)
{
    const Translation to = translate(writer);
    addSlices(writer, to);
    addTimed(writer, to);
    m_counts.add(writer);
}

void TraceGrowth::addSlices(const TraceWriter &writer, const Translation &to)
{
    m_slices += writer.m_slices.rows();
    uint32_t collective = 0, sync = 0;
    for (uint32_t at = 0; at < writer.m_slices.rows(); ++at) {
        SliceRow row = rowAt(writer.m_slices, at);
        const PlacementTableT<Value> placement = rowAt(writer.m_placements, at);
        row.name = to.strings[row.name];
        row.category = to.strings[row.category];
        SideRows side;
        bool hasSide = row.detail != SliceDetail::None;
        if (row.detail == SliceDetail::Operator)
            side.detail = rowAt(writer.m_operators, placement.detailRow);
        else if (row.detail == SliceDetail::Python)
            side.detail = rowAt(writer.m_python, placement.detailRow);
        else if (row.detail == SliceDetail::Device)
            side.detail = rowAt(writer.m_device, placement.detailRow);
        // These rows are in the order of their slices.
        if (collective < writer.m_collectives.rows() && rowAt(writer.m_collectives, collective).slice == at) {
            CollectiveRow own = rowAt(writer.m_collectives, collective++);
            for (uint32_t *text : {&own.operation, &own.dataType, &own.group, &own.groupDescription, &own.groupRanks})
                *text = to.strings[*text];
            side.collective = own;
            hasSide = true;
        }
        if (sync < writer.m_syncs.rows() && rowAt(writer.m_syncs, sync).slice == at) {
            SyncRow own = rowAt(writer.m_syncs, sync++);
            own.kind = to.strings[own.kind];
            side.sync = own;
            hasSide = true;
        }
        const uint32_t lane = to.lanes[placement.lane];
        const SliceId id = m_lanes[lane].slices->add(row, hasSide ? std::make_unique<SideRows>(side) : nullptr);
        if (const std::string_view name = m_strings.text(row.name);
            (row.flags & slice_flag::OnStream) == 0 && isStepMark(name))
            addStep({stepNumber(name), id, {row.start, row.start + row.duration}});
        if (row.correlation == kNoInt)
            continue;
        const LaunchesGrowth::Member member{id, lane, row.start, row.sourceOffset};
        if ((row.flags & slice_flag::OnStream) == 0)
            m_launches.addCall(row.correlation, member);
        else if (row.detail == SliceDetail::Device)
            m_launches.addWork(row.correlation, member);
    }
}

void TraceGrowth::addStep(const Step &step)
{
    const auto behind =
        std::ranges::upper_bound(m_steps, step.span.begin, {}, [](const Step &one) { return one.span.begin; });
    m_steps.insert(behind, step);
}

void TraceGrowth::keepWindow()
{
    if (!m_memory.wasRefused())
        return;
    // Slices that have left are in memory as long as somebody uses an older generation: leaving more would not help.
    const uint64_t kept = m_slices - m_left;
    if (m_slicesAtLeave > 0 && m_slices - m_slicesAtLeave < kept / 16)
        return;
    std::vector<std::pair<Ns, uint32_t>> stretches;
    uint64_t closed = 0;
    for (const GrowingLane &lane : m_lanes)
        lane.slices->visitStretches([&](Ns end, uint32_t slices) {
            stretches.emplace_back(end, slices);
            closed += slices;
        });
    std::ranges::sort(stretches);
    Ns time = m_memoryEvents.middle(); // if there are hardly any slices
    uint64_t leaving = 0;
    for (auto one = stretches.begin(); one != stretches.end() && leaving < closed / 8; ++one) {
        time = leaving == 0 ? one->first : std::max(time, one->first);
        leaving += one->second;
    }
    for (GrowingLane &lane : m_lanes)
        m_left += lane.slices->leaveBefore(time);
    m_launches.leaveBefore(time);
    m_memoryEvents.leaveBefore(time);
    m_instants.leaveBefore(time);
    m_counters.leaveBefore(time);
    std::erase_if(m_steps, [&](const Step &step) { return step.span.end < time; });
    m_slicesAtLeave = m_slices;
}

void TraceGrowth::addTimed(const TraceWriter &writer, const Translation &to)
{
    forEachRow(writer.m_memoryEvents, [&](MemoryRow row) {
        row.lane = to.lanes[row.lane];
        m_memoryEvents.add(row);
    });
    forEachRow(writer.m_instants, [&](InstantRow row) {
        row.lane = to.lanes[row.lane];
        row.name = to.strings[row.name];
        row.category = to.strings[row.category];
        m_instants.add(row);
    });
    forEachRow(writer.m_counters, [&](CounterRow row) {
        row.lane = to.lanes[row.lane];
        row.series = to.strings[row.series];
        m_counters.add(row);
    });
}

void TraceGrowth::setOpen(const TraceWriter &writer)
{
    const Translation to = translate(writer);
    std::vector<std::vector<SliceRow>> open(m_lanes.size());
    m_openCounts = {};
    m_openCounts.add(writer);
    forEachRow(writer.m_halves, [&](const HalfRow &half) {
        SliceRow row{};
        row.start = half.time;
        row.sourceOffset = half.sourceOffset;
        row.sourceLength = half.sourceLength;
        row.correlation = half.correlation;
        row.externalId = half.externalId;
        row.name = to.strings[half.name];
        row.category = to.strings[half.category];
        row.flags = half.flags | slice_flag::Unfinished;
        row.phase = half.phase;
        row.detail = SliceDetail::None;
        open[to.lanes[half.lane]].push_back(row);
        m_openCounts.report.add(Trouble::UnfinishedBegin, half.sourceOffset, {});
    });
    for (uint32_t at = 0; at < writer.m_slices.rows(); ++at) {
        SliceRow row = rowAt(writer.m_slices, at);
        row.name = to.strings[row.name];
        row.category = to.strings[row.category];
        row.flags |= slice_flag::Unfinished;
        open[to.lanes[rowAt(writer.m_placements, at).lane]].push_back(row);
    }
    for (uint32_t lane = 0; lane < open.size(); ++lane) {
        std::ranges::stable_sort(open[lane], {}, &SliceRow::start);
        if (m_lanes[lane].key.kind != LaneKind::Stream)
            m_lanes[lane].slices->setOpen(open[lane]);
    }
}

void TraceGrowth::setExternalIds(std::span<const std::pair<int64_t, int64_t>> ids)
{
    for (const auto &[correlation, externalId] : ids)
        m_launches.visit(correlation, [&, external = externalId](const LaunchesGrowth::Member &member) {
            m_lanes[member.lane].slices->setExternalId(member.slice, external);
        });
}

void TraceGrowth::setNames(const TraceWriter &writer)
{
    const Translation to = translate(writer);
    m_names.clear();
    for (MetadataRow row : writer.m_metadata) {
        row.text = to.strings[row.text];
        m_names.push_back(row);
    }
}

void TraceGrowth::settle(const std::function<Ns(LaneKind)> &markOf)
{
    for (GrowingLane &lane : m_lanes)
        lane.slices->settle(markOf(lane.key.kind));
    keepWindow();
}

void TraceGrowth::finish()
{
    const Ns now = edge();
    for (GrowingLane &lane : m_lanes) {
        lane.slices->visitOpen([&](const GrowingSlice &slice) {
            if (const std::string_view name = m_strings.text(slice.row.name); isStepMark(name))
                addStep({stepNumber(name), slice.id, {slice.row.start, std::max(now, slice.row.start)}});
        });
        lane.slices->finish(now);
    }
    m_memoryEvents.finish();
    m_instants.finish();
    m_counters.finish();
    m_isFinished = true;
}

} // namespace riffle
