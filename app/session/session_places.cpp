// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_places.h"

#include "app/session/place.h"
#include "model/layout/lane_order.h"
#include "views/common/look/qt_text.h"

#include <algorithm>

namespace riffle {

SessionFile::Lane sessionLane(const TraceSet &traces, LaneRef lane)
{
    const Trace *trace = traces.trace(lane.trace);
    const bool known = trace && lane.lane.value < trace->lanes.size();
    const auto file = std::ranges::find(traces.members(), lane.trace, &TraceMember::id) - traces.members().begin();
    return {static_cast<uint32_t>(file), known ? toQString(laneKey(*trace, lane.lane)) : QString()};
}

std::optional<SessionFile::SelectedSlice> sessionSelection(const Session &session)
{
    const TraceSet &traces = session.traces();
    const SliceRef ref = session.selected();
    const Trace *trace = traces.trace(ref.trace);
    const std::optional<Slice> slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return std::nullopt;
    const Ns start = traces.time(ref.trace).toSet(slice->data.start) - traces.origin();
    return SessionFile::SelectedSlice{selectedName(session), start, sessionLane(traces, {ref.trace, slice->lane}),
                                      slice->row};
}

SessionFile::SavedFilters sessionFilters(const Session &session)
{
    SessionFile::SavedFilters saved;
    saved.plain = session.filters().without(Filters::Part::Lanes).without(Filters::Part::Traces);
    for (const LaneRef &lane : session.filters().lanes)
        saved.lanes.push_back(sessionLane(session.traces(), lane));
    const std::vector<TraceId> members = memberIds(session.traces());
    for (const TraceId trace : session.filters().traces)
        saved.traces.push_back(static_cast<size_t>(std::ranges::find(members, trace) - members.begin()));
    saved.followsView = session.followsView();
    return saved;
}

SessionPlaces::SessionPlaces(const TraceSet &traces, const SessionFile &file) : m_traces(traces), m_file(file)
{
    size_t next = 0;
    for (const SessionFile::File &entry : file.files) {
        const bool isMember = next < traces.members().size() && traces.members()[next].path == toUtf8(entry.path);
        m_traceOf.push_back(isMember ? traces.members()[next++].id : TraceId());
    }
    for (const LoadedTrace &member : traces.loaded())
        for (uint32_t lane = 0; lane < member.trace->lanes.size(); ++lane)
            m_lanes[member.id].emplace(laneKey(*member.trace, LaneId(lane)), LaneId(lane));
}

std::vector<LaneRef> SessionPlaces::lanesNamed(const SessionFile::Lane &lane) const
{
    std::vector<LaneRef> lanes;
    if (lane.file >= m_traceOf.size() || !m_traceOf[lane.file].valid())
        return lanes;
    const TraceId trace = m_traceOf[lane.file];
    const auto [first, last] = m_lanes[trace].equal_range(toUtf8(lane.key));
    for (auto at = first; at != last; ++at)
        lanes.push_back({trace, at->second});
    return lanes;
}

std::vector<TraceId> SessionPlaces::tracesOf(const QStringList &snapshots) const
{
    std::vector<TraceId> found(static_cast<size_t>(snapshots.size()));
    QStringList files;
    for (const SessionFile::File &entry : m_file.files)
        files += entry.path;
    for (size_t at = 0; at < m_file.files.size(); ++at) {
        const std::optional<size_t> trace = m_file.files[at].trace;
        const std::optional<size_t> snapshot = trace ? openedSnapshot(files, at, snapshots) : std::nullopt;
        if (snapshot && *trace < m_traceOf.size())
            found[*snapshot] = m_traceOf[*trace];
    }
    return found;
}

std::optional<AreaSelection> SessionPlaces::area() const
{
    if (!m_file.area)
        return std::nullopt;
    const Ns origin = m_traces.origin();
    AreaSelection area{{m_file.area->begin + origin, m_file.area->end + origin}, {}};
    for (const SessionFile::Lane &name : m_file.areaLanes)
        for (const LaneRef &lane : lanesNamed(name))
            if (std::find(area.lanes.begin(), area.lanes.end(), lane) == area.lanes.end())
                area.lanes.push_back(lane);
    if (const auto &own = m_file.areaOwn; own && own->file < m_traceOf.size() && m_traces.find(m_traceOf[own->file])) {
        area.span = own->span;
        area.trace = m_traceOf[own->file];
    }
    // An area without lanes would cover all lanes.
    return area.lanes.empty() && !m_file.areaLanes.empty() ? std::nullopt : std::optional(area);
}

Filters SessionPlaces::filters() const
{
    if (!m_file.filters)
        return {};
    Filters filters = m_file.filters->plain;
    for (const SessionFile::Lane &name : m_file.filters->lanes)
        for (const LaneRef &lane : lanesNamed(name))
            if (std::ranges::find(filters.lanes, lane) == filters.lanes.end())
                filters.lanes.push_back(lane);
    for (const size_t trace : m_file.filters->traces)
        if (trace < m_traceOf.size() && m_traceOf[trace].valid())
            filters.traces.push_back(m_traceOf[trace]);
    if (!filters.names()) // an expression that is not valid
        filters.text.clear();
    return filters;
}

SliceRef SessionPlaces::selected() const
{
    if (!m_file.selected || !m_file.selected->lane)
        return {};
    for (const LaneRef &lane : lanesNamed(*m_file.selected->lane))
        if (const SliceRef slice = selectedOn(lane); slice.valid())
            return slice;
    return {};
}

SliceRef SessionPlaces::selectedOn(LaneRef ref) const
{
    const LoadedTrace &member = *m_traces.find(ref.trace);
    const Trace &trace = *member.trace;
    const std::string name = toUtf8(m_file.selected->name);
    const Ns start = member.time.toTrace(m_file.selected->start + m_traces.origin());
    SliceRef found;
    for (const uint32_t number : trace.lanes[ref.lane.value].segments) {
        const Segment &segment = *trace.segments[number];
        const auto starts = segment.slices.start.span();
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const uint32_t rowEnd = std::min(segment.rowBegin[row + 1], segment.size());
            const auto last = starts.begin() + rowEnd;
            auto at = std::lower_bound(starts.begin() + std::min(segment.rowBegin[row], rowEnd), last, start);
            for (; at != last && *at == start; ++at) {
                const auto index = static_cast<uint32_t>(at - starts.begin());
                if (trace.string(segment.slices.name[index]) != name)
                    continue;
                const SliceRef here{ref.trace, segment.idAt(index)};
                if (row == m_file.selected->row)
                    return here;
                found = found.valid() ? found : here;
            }
        }
    }
    return found;
}

} // namespace riffle
