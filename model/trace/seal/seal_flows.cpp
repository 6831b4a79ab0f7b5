// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/decimal.h"
#include "model/base/merge_sort.h"
#include "model/trace/seal/sealer.h"
#include "model/trace/seal/slices_around.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

namespace riffle {

namespace {

/// Returns the id of a lane in the form that streams have: "stream 7", as early Kineto writes the place of a flow's
/// end, is stream 7.
RawId streamId(RawId id, std::string_view text)
{
    constexpr std::string_view kPrefix = "stream ";
    if (id.kind != RawId::Kind::Text || !text.starts_with(kPrefix))
        return id;
    return integerId(text.substr(kPrefix.size())).value_or(id);
}

} // namespace

void Sealer::prepareFlows()
{
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer)
        m_flows.add(m_writers[writer]->m_flows, writer);
    m_flowsOfLane.resize(m_trace->lanes.size());
    // If a stream and a thread have the same pid and tid, flow events do not say which one they mean.
    using Place = std::tuple<RawId::Kind, int64_t, RawId::Kind, int64_t>;
    const auto placeOf = [&](const Lane &lane) {
        const RawId pid = m_trace->processes[lane.process.value].pid;
        const bool isText = lane.tid.kind == RawId::Kind::Text;
        const RawId tid = isText ? streamId(lane.tid, m_trace->string(static_cast<uint32_t>(lane.tid.bits))) : lane.tid;
        return Place(pid.kind, pid.bits, tid.kind, tid.bits);
    };
    std::map<Place, uint32_t> streams;
    for (uint32_t lane = 0; lane < m_trace->lanes.size(); ++lane)
        if (m_trace->lanes[lane].kind == LaneKind::Stream)
            streams.emplace(placeOf(m_trace->lanes[lane]), lane);
    std::vector<uint32_t> streamOf(m_trace->lanes.size(), LaneId::kNone);
    for (uint32_t lane = 0; lane < m_trace->lanes.size(); ++lane)
        if (const auto found = streams.find(placeOf(m_trace->lanes[lane]));
            found != streams.end() && m_trace->lanes[lane].kind == LaneKind::Thread)
            streamOf[lane] = found->second;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        for (uint32_t row = 0; row < m_writers[writer]->m_flows.rows(); ++row) {
            const uint32_t reference = m_flows.reference(writer, row);
            uint32_t &category = m_flows.at(&FlowTableT<Pointer>::category, reference);
            category = string(writer, category);
            uint32_t &lane = m_flows.at(&FlowTableT<Pointer>::lane, reference);
            lane = m_laneIds[writer][lane];
            const bool noThread = m_laneBegin[lane] == m_laneBegin[lane + 1];
            if (streamOf[lane] != LaneId::kNone &&
                (noThread || m_flows.at(&FlowTableT<Pointer>::phase, reference) == 'f'))
                lane = streamOf[lane];
            m_flows.at(&FlowTableT<Pointer>::slice, reference) = SliceId::kNone;
            m_flowsOfLane[lane].push_back(reference);
        }
    }
}

/// Binds each point to the slice around it whose correlation id is the flow's id; otherwise to the innermost slice
/// around it or, without `bp: e`, to the next one unless a slice starts exactly there; otherwise to a slice that ends
/// there. TensorFlow's arrows always start where a slice ends, even if the next one starts there, too.
void Sealer::bindFlows(uint32_t lane, std::span<const Ns> start, std::span<const Ns> duration,
                       std::span<const uint32_t> references, std::span<const uint32_t> finalIndex)
{
    if (m_flowsOfLane[lane].empty() || start.empty())
        return;
    assert(start.size() == duration.size() && start.size() == references.size() && start.size() == finalIndex.size());
    struct Point {
        Ns time;
        uint32_t reference;
    };
    BigVector<Point> points(&m_scratch);
    points.reserve(m_flowsOfLane[lane].size());
    for (const uint32_t reference : m_flowsOfLane[lane])
        points.push_back({m_flows.at(&FlowTableT<Pointer>::time, reference), reference});
    mergeSortRuns(points, [](const Point &a, const Point &b) { return a.time < b.time; });
    SlicesAround slices(start, duration);
    for (const Point &point : points) {
        slices.goTo(point.time);
        const int64_t id = m_flows.at(&FlowTableT<Pointer>::id, point.reference);
        const auto isNamed = [&](uint32_t index) {
            return m_slices.at(&SliceTableT<Pointer>::correlation, references[index]) == id;
        };
        const std::string_view category = m_trace->string(m_flows.at(&FlowTableT<Pointer>::category, point.reference));
        const bool isStart = m_flows.at(&FlowTableT<Pointer>::phase, point.reference) == 's';
        uint32_t bound = SlicesAround::kNone;
        if (category != "fwdbwd") // its ids are not correlation ids but count from 1
            bound = slices.innermost(isNamed);
        if (bound == SlicesAround::kNone && isStart && category == "DataFlow")
            bound = slices.ending();
        if (bound == SlicesAround::kNone) {
            bound = slices.innermost();
            const bool enclosing = m_flows.at(&FlowTableT<Pointer>::enclosing, point.reference) != 0;
            if (!enclosing && !slices.startsHere(bound) && slices.next() != SlicesAround::kNone)
                bound = slices.next();
        }
        if (bound == SlicesAround::kNone)
            bound = slices.ending();
        if (bound != SlicesAround::kNone)
            m_flows.at(&FlowTableT<Pointer>::slice, point.reference) = m_laneBegin[lane] + finalIndex[bound];
    }
    std::vector<uint32_t>().swap(m_flowsOfLane[lane]);
}

void Sealer::orderFlows()
{
    struct Key {
        int64_t id;
        uint32_t category;
        uint32_t reference;
    };
    BigVector<Key> keys(&m_scratch);
    size_t count = 0;
    for (const auto &writer : m_writers)
        count += writer->m_flows.rows();
    keys.reserve(count);
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer)
        for (uint32_t row = 0; row < m_writers[writer]->m_flows.rows(); ++row) {
            const uint32_t reference = m_flows.reference(writer, row);
            keys.push_back({m_flows.at(&FlowTableT<Pointer>::id, reference),
                            m_flows.at(&FlowTableT<Pointer>::category, reference), reference});
        }
    const auto timeOf = [&](const Key &key) { return m_flows.at(&FlowTableT<Pointer>::time, key.reference); };
    const auto offsetOf = [&](const Key &key) { return m_flows.at(&FlowTableT<Pointer>::sourceOffset, key.reference); };
    mergeSortRuns(keys, [&](const Key &a, const Key &b) {
        if (a.category != b.category)
            return a.category < b.category;
        if (a.id != b.id)
            return a.id < b.id;
        return timeOf(a) != timeOf(b) ? timeOf(a) < timeOf(b) : offsetOf(a) < offsetOf(b);
    });
    m_flowOrder.reserve(keys.size());
    for (const Key &key : keys)
        m_flowOrder.push_back(key.reference);
}

void Sealer::gatherFlows()
{
    const bool complete = gatherTable<FlowTableT>(m_flows, m_flowOrder, *m_memory, m_trace->flows);
    m_flowOrder = BigVector<uint32_t>();
    if (!complete) {
        m_outOfMemory = true;
        return;
    }
    const Column<uint32_t> &slices = m_trace->flows.slice;
    const Column<char> &phases = m_trace->flows.phase;
    BigVector<uint64_t> bound(&m_scratch); // slice << 32 | row
    bound.reserve(slices.size());
    // Add start points first, then the others: slice ids mostly ascend within each group, which gives long sorted runs.
    for (const bool begins : {true, false})
        for (uint32_t row = 0; row < slices.size(); ++row)
            if (slices[row] != SliceId::kNone && (phases[row] == 's') == begins)
                bound.push_back(uint64_t(slices[row]) << 32 | row);
    mergeSortRuns(bound, std::less<>());
    ColumnDraft<uint32_t> bySlice(*m_memory, bound.size());
    if (!bySlice.ok()) {
        m_outOfMemory = true;
        return;
    }
    std::transform(bound.begin(), bound.end(), bySlice.data(), [](uint64_t key) { return static_cast<uint32_t>(key); });
    m_trace->flowsBySlice = bySlice.column();
}

void Sealer::reportUnboundFlows()
{
    for (uint32_t row = 0; row < m_trace->flows.slice.size(); ++row)
        if (m_trace->flows.slice[row] == SliceId::kNone)
            m_trace->report.add(Trouble::UnboundFlow, m_trace->flows.sourceOffset[row], {});
}

} // namespace riffle
