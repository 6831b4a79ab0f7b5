// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/trace_strips.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

/// Puts items in the user's order; items that the user has not moved follow in their default order.
void applyOrder(std::vector<LaneItem> &lanes, const LaneState &state, const std::string &group)
{
    const auto wanted = state.order.find(group);
    if (wanted == state.order.end())
        return;
    const auto place = [&keys = wanted->second](const LaneItem &item) {
        return std::find(keys.begin(), keys.end(), item.key) - keys.begin();
    };
    std::stable_sort(lanes.begin(), lanes.end(),
                     [&](const LaneItem &a, const LaneItem &b) { return place(a) < place(b); });
}

} // namespace

TraceStrips::TraceStrips(const TraceSet &set, const LoadedTrace &member, const std::vector<TraceGraph> *graphs,
                         const SetBands &bands, const LaneState &state, std::shared_ptr<const SqueezedLanes> squeezed)
    : m_trace(*member.trace)
    , m_id(member.id)
    , m_graphs(graphs)
    , m_bands(bands)
    , m_state(state)
    , m_squeezed(std::move(squeezed))
    , m_prefix(laneKeyPrefix(set, member.id))
    , m_indent(set.members().size() > 1 ? 1 : 0)
{
}

std::vector<LaneItem> TraceStrips::groupLanes(const LaneGroup &group, const std::string &groupKey, bool isHome) const
{
    std::vector<LaneItem> lanes;
    for (const auto &track : m_bands[m_id])
        if (track->device >= 0 ? group.device == track->device : isHome)
            lanes.push_back(bands(track, group, groupKey));
    for (const LaneId id : group.lanes)
        lanes.push_back(slices(id, group, groupKey));
    if (m_graphs)
        for (uint32_t g = 0; g < m_graphs->size(); ++g)
            if (belongs((*m_graphs)[g], group))
                lanes.push_back(graph(g, group, groupKey));
    applyOrder(lanes, m_state, groupKey);
    return lanes;
}

size_t TraceStrips::home(const std::vector<LaneGroup> &groups) const
{
    const auto found = std::find_if(groups.begin(), groups.end(), [&, process = mainProcess()](const LaneGroup &group) {
        return group.device < 0 && group.process == process;
    });
    return found == groups.end() ? 0 : static_cast<size_t>(found - groups.begin());
}

LaneItem TraceStrips::heading(LaneItem::Kind kind, std::string key, std::string title) const
{
    LaneItem item;
    item.kind = kind;
    item.trace = m_id;
    item.key = m_prefix + std::move(key);
    item.title = std::move(title);
    item.foldable = true;
    item.folded = m_state.folded.contains(item.key);
    return item;
}

bool TraceStrips::isQuiet(const LaneGroup &group) const
{
    const auto isQuietLane = [this](LaneId id) {
        const Lane &lane = m_trace.lanes[id.value];
        return lane.slices == 0 || (lane.slices == 1 && lane.tid.kind == RawId::Kind::Text);
    };
    return group.device < 0 && group.counters.empty() && std::ranges::all_of(group.lanes, isQuietLane);
}

LaneItem TraceStrips::slices(LaneId id, const LaneGroup &group, const std::string &groupKey) const
{
    LaneItem item;
    item.trace = m_id;
    item.process = group.process;
    item.lane = id;
    item.gpu = group.device >= 0;
    item.key = m_prefix + laneKey(m_trace, id);
    item.group = groupKey;
    item.title = m_trace.laneName(id);
    if (item.title.empty())
        item.title = "events";
    item.indent = m_indent + 1;
    item.allRows = m_trace.lanes[id.value].rows;
    uint32_t rows = item.allRows;
    if (const SqueezedLane *squeezed = m_squeezed ? m_squeezed->of(id) : nullptr) {
        item.squeezedRows = squeezed->rows;
        if (m_state.squeezes(item.key)) {
            item.squeezed = {m_squeezed, squeezed};
            rows = squeezed->rows;
        }
    }
    item.foldable = rows > 1;
    item.folded = item.foldable && m_state.folded.contains(item.key);
    item.rows = item.folded ? 1 : std::max(1u, rows);
    if (!item.gpu && item.rows > LaneLayout::kFirstRows) {
        item.isWhole = m_state.whole.contains(item.key);
        item.hiddenRows = item.isWhole ? 0 : item.rows - LaneLayout::kFirstRows;
        item.rows -= item.hiddenRows;
    }
    return item;
}

LaneItem TraceStrips::bands(const std::shared_ptr<const BandTrack> &track, const LaneGroup &group,
                            const std::string &groupKey) const
{
    LaneItem item;
    item.kind = LaneItem::Kind::Bands;
    item.trace = m_id;
    item.process = group.process;
    item.bands = track;
    item.gpu = group.device >= 0;
    item.key = groupKey + "/bands/" + track->key;
    item.group = groupKey;
    item.title = track->title;
    item.note = track->note;
    item.indent = m_indent + 1;
    item.foldable = track->bands->rows() > 1;
    item.folded = item.foldable && m_state.folded.contains(item.key);
    item.rows = item.folded ? 1 : std::max(1u, track->bands->rows());
    return item;
}

LaneItem TraceStrips::graph(uint32_t index, const LaneGroup &group, const std::string &groupKey) const
{
    const TraceGraph &from = (*m_graphs)[index];
    LaneItem item;
    item.kind = LaneItem::Kind::Graph;
    item.trace = m_id;
    item.process = group.process;
    item.lane = from.lane;
    item.graph = index;
    item.gpu = group.device >= 0;
    item.key = groupKey + "/graph/" + from.title;
    item.group = groupKey;
    item.title = from.title;
    item.indent = m_indent + 1;
    return item;
}

bool TraceStrips::belongs(const TraceGraph &graph, const LaneGroup &group) const
{
    if (graph.lane.valid())
        return std::find(group.counters.begin(), group.counters.end(), graph.lane) != group.counters.end();
    if (graph.device >= 0)
        return group.device == graph.device;
    return group.device < 0 && group.process == mainProcess();
}

/// Returns the process that host memory belongs to: the first one with threads.
ProcessId TraceStrips::mainProcess() const
{
    for (const Lane &lane : m_trace.lanes)
        if (lane.kind == LaneKind::Thread && lane.slices > 0 && lane.tid.kind != RawId::Kind::Text)
            return lane.process;
    return {};
}

} // namespace riffle
