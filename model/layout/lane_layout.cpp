// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_layout.h"

#include "model/layout/lane_order.h"

#include <algorithm>
#include <cassert>
#include <cctype>

namespace riffle {

std::string laneKeyPrefix(const TraceSet &set, TraceId id)
{
    // The prefix is the rank, which is the same in another session, and a number for a further trace with that rank.
    // The trace's id counts as the rank if none was recorded, so that the keys stay when other members come and go.
    const auto rankOf = [](const TraceMember &member) { return member.rank.value_or(member.id.value); };
    const int64_t rank = rankOf(*set.member(id));
    size_t earlier = 0;
    for (const TraceMember &other : set.members())
        earlier += other.id < id && other.isKnown && rankOf(other) == rank;
    return std::to_string(rank) + (earlier ? "." + std::to_string(earlier) : "") + ":";
}

namespace {

constexpr const char *kTraceKey = "trace"; ///< of a trace's heading, behind its prefix

bool containsFolded(std::string_view text, std::string_view part)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

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

void measure(LaneItem &item, const LaneState &state)
{
    const auto chosen = state.heights.find(item.key);
    const int wanted = chosen == state.heights.end() ? 0 : chosen->second;
    switch (item.kind) {
    case LaneItem::Kind::TraceHeading:
    case LaneItem::Kind::GroupHeading: item.height = LaneLayout::kHeadingHeight; break;
    case LaneItem::Kind::Graph:
        item.height = wanted > 0 ? std::clamp(wanted, 16, 600) : LaneLayout::kGraphHeight;
        break;
    case LaneItem::Kind::Bands:
    case LaneItem::Kind::Slices: {
        const int rows = static_cast<int>(std::max(item.rows, 1u));
        item.rowHeight = LaneLayout::kRowHeight;
        if (wanted > 0)
            item.rowHeight = std::clamp((wanted - 2 * LaneLayout::kPadding) / rows, 2, 60);
        item.height = rows * item.rowHeight + 2 * LaneLayout::kPadding;
        break;
    }
    }
}

int stack(std::vector<LaneItem> &items)
{
    int y = 0;
    for (LaneItem &item : items) {
        item.y = y;
        y += item.height;
    }
    return y;
}

/// Divides lanes among at most `most` stripes.
std::vector<std::vector<LaneId>> dividedEvenly(const std::vector<LaneId> &lanes, size_t most)
{
    std::vector<std::vector<LaneId>> stripes(std::min(lanes.size(), most));
    for (size_t stripe = 0, at = 0; stripe < stripes.size(); ++stripe)
        for (; at < (stripe + 1) * lanes.size() / stripes.size(); ++at)
            stripes[stripe].push_back(lanes[at]);
    return stripes;
}

std::string fileName(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

/// Returns the heading of a member that is not loaded. It has nothing to fold, and its note says why.
LaneItem headingWithoutTrace(const TraceSet &set, const TraceMember &member)
{
    LaneItem item;
    item.kind = LaneItem::Kind::TraceHeading;
    item.trace = member.id;
    item.key = "member/" + std::to_string(member.id.value);
    item.title = set.title(member.id);
    const std::string file = fileName(member.path);
    switch (member.state) {
    case MemberState::Loading: item.note = "Reading " + file; break;
    case MemberState::Unloaded: item.note = "Not in memory: click to load " + file; break;
    case MemberState::Failed: item.note = "Failed: " + member.why; break;
    case MemberState::Loaded: assert(false);
    }
    return item;
}

/// Builds the strips of one trace.
class TraceStrips {
public:
    TraceStrips(const TraceSet &set, const LoadedTrace &member, const std::vector<TraceGraph> *graphs,
                const SetBands &bands, const LaneState &state)
        : m_trace(*member.trace)
        , m_id(member.id)
        , m_graphs(graphs)
        , m_bands(bands)
        , m_state(state)
        , m_prefix(laneKeyPrefix(set, member.id))
        , m_indent(set.members().size() > 1 ? 1 : 0)
    {
    }

    /// Returns the strips of a group, in the user's order. If `isHome`, they include the bands that belong to no
    /// device.
    std::vector<LaneItem> groupLanes(const LaneGroup &group, const std::string &groupKey, bool isHome) const
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

    /// Returns the group of the first process with threads, or the first group if there is none.
    size_t home(const std::vector<LaneGroup> &groups) const
    {
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&, process = mainProcess()](const LaneGroup &group) {
                return group.device < 0 && group.process == process;
            });
        return found == groups.end() ? 0 : static_cast<size_t>(found - groups.begin());
    }

    LaneItem heading(LaneItem::Kind kind, std::string key, std::string title) const
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

    /// True if a group is folded by default, because its lanes have no slices, or only one in a lane that is no thread,
    /// as profilers write about themselves ("Spans").
    bool isQuiet(const LaneGroup &group) const
    {
        const auto isQuietLane = [this](LaneId id) {
            const Lane &lane = m_trace.lanes[id.value];
            return lane.slices == 0 || (lane.slices == 1 && lane.tid.kind == RawId::Kind::Text);
        };
        return group.device < 0 && group.counters.empty() && std::ranges::all_of(group.lanes, isQuietLane);
    }

    int indent() const { return m_indent; }

private:
    LaneItem slices(LaneId id, const LaneGroup &group, const std::string &groupKey) const
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
        item.foldable = m_trace.lanes[id.value].rows > 1;
        item.folded = item.foldable && m_state.folded.contains(item.key);
        item.rows = item.folded ? 1 : std::max(1u, m_trace.lanes[id.value].rows);
        if (!item.gpu && item.rows > LaneLayout::kFirstRows) {
            item.isWhole = m_state.whole.contains(item.key);
            item.hiddenRows = item.isWhole ? 0 : item.rows - LaneLayout::kFirstRows;
            item.rows -= item.hiddenRows;
        }
        return item;
    }

    LaneItem bands(const std::shared_ptr<const BandTrack> &track, const LaneGroup &group,
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

    LaneItem graph(uint32_t index, const LaneGroup &group, const std::string &groupKey) const
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

    bool belongs(const TraceGraph &graph, const LaneGroup &group) const
    {
        if (graph.lane.valid())
            return std::find(group.counters.begin(), group.counters.end(), graph.lane) != group.counters.end();
        if (graph.device >= 0)
            return group.device == graph.device;
        return group.device < 0 && group.process == mainProcess();
    }

    /// Returns the process that host memory belongs to: the first one with threads.
    ProcessId mainProcess() const
    {
        for (const Lane &lane : m_trace.lanes)
            if (lane.kind == LaneKind::Thread && lane.slices > 0 && lane.tid.kind != RawId::Kind::Text)
                return lane.process;
        return {};
    }

    const Trace &m_trace;
    TraceId m_id;
    const std::vector<TraceGraph> *m_graphs;
    const SetBands &m_bands;
    const LaneState &m_state;
    std::string m_prefix;
    int m_indent;
};

} // namespace

LaneLayout::LaneLayout(const TraceSet &set, const SetGraphs &graphs, const LaneState &state, const SetBands &bands)
{
    const bool many = set.members().size() > 1;
    for (const TraceMember &any : set.members()) {
        const LoadedTrace *loaded = set.find(any.id);
        if (!loaded) {
            const LaneItem top = headingWithoutTrace(set, any);
            if (many && !state.hidden.contains(top.key) && containsFolded(top.title, state.filter))
                m_items.push_back(top);
            continue;
        }
        const LoadedTrace &member = *loaded;
        const Trace &trace = *member.trace;
        const TraceStrips strips(set, member, graphs[member.id].get(), bands, state);
        LaneItem top = strips.heading(LaneItem::Kind::TraceHeading, kTraceKey, set.title(member.id));
        if (const std::string file = fileName(trace.info.path); top.title.find(file) == std::string::npos)
            top.note = file;
        std::vector<LaneItem> below;
        std::vector<LaneId> deviceLanes, hostLanes; // that are shown
        const std::vector<LaneGroup> groups = laneGroups(trace);
        const size_t home = strips.home(groups);
        for (const LaneGroup &group : groups) {
            LaneItem head = strips.heading(LaneItem::Kind::GroupHeading, group.key, group.title);
            head.note = group.note;
            head.process = group.process;
            head.gpu = group.device >= 0;
            head.quiet = &group != &groups[home] && strips.isQuiet(group);
            if (head.quiet)
                head.folded = !state.unfolded.contains(head.key) && state.filter.empty();
            head.indent = strips.indent();
            head.group = many ? top.key : std::string();
            const bool groupHidden = state.hidden.contains(head.key);
            std::vector<LaneItem> shown;
            std::vector<LaneId> shownLanes;
            for (LaneItem &lane : strips.groupLanes(group, head.key, &group == &groups[home])) {
                ++m_laneCount;
                if (groupHidden || state.hidden.contains(lane.key))
                    continue;
                const bool named =
                    containsFolded(lane.title, state.filter) || containsFolded(group.title, state.filter);
                if (!state.filter.empty() && !named)
                    continue;
                if (std::find(state.pinned.begin(), state.pinned.end(), lane.key) != state.pinned.end()) {
                    lane.pinned = true;
                    lane.indent = 0;
                    lane.note = many ? top.title + " · " + group.title : group.title;
                    m_pinned.push_back(std::move(lane));
                    continue;
                }
                if (lane.kind == LaneItem::Kind::Slices)
                    shownLanes.push_back(lane.lane);
                shown.push_back(std::move(lane));
            }
            if (shown.empty())
                continue;
            std::vector<LaneId> &ofKind = head.gpu ? deviceLanes : hostLanes;
            ofKind.insert(ofKind.end(), shownLanes.begin(), shownLanes.end());
            if (head.folded)
                head.stripes = dividedEvenly(shownLanes, kStripes);
            const bool isOpen = !head.folded;
            below.push_back(std::move(head));
            if (isOpen)
                below.insert(below.end(), std::make_move_iterator(shown.begin()), std::make_move_iterator(shown.end()));
        }
        if (below.empty())
            continue;
        const bool isOpen = !many || !top.folded;
        if (!isOpen)
            for (std::vector<LaneId> *lanes : {&deviceLanes, &hostLanes})
                if (!lanes->empty())
                    top.stripes.push_back(std::move(*lanes));
        if (many)
            m_items.push_back(std::move(top));
        if (isOpen)
            m_items.insert(m_items.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
    }
    const auto place = [&state](const LaneItem &item) {
        return std::find(state.pinned.begin(), state.pinned.end(), item.key) - state.pinned.begin();
    };
    std::stable_sort(m_pinned.begin(), m_pinned.end(),
                     [&](const LaneItem &a, const LaneItem &b) { return place(a) < place(b); });
    for (LaneItem &item : m_pinned)
        measure(item, state);
    for (LaneItem &item : m_items)
        measure(item, state);
    m_pinnedHeight = stack(m_pinned);
    m_height = stack(m_items);
    const auto isDevice = [](const LaneItem &item) { return item.gpu; };
    if (const auto others = std::ranges::find_if_not(m_items, isDevice);
        !many && others != m_items.end() && std::none_of(others, m_items.end(), isDevice))
        m_deviceHeight = others->y;
    addPlaces(m_items, false);
    addPlaces(m_pinned, true);
}

void LaneLayout::addPlaces(const std::vector<LaneItem> &section, bool pinned)
{
    for (uint32_t index = 0; index < section.size(); ++index) {
        if (section[index].kind != LaneItem::Kind::Slices)
            continue;
        std::vector<Place> &places = m_places[section[index].trace];
        const size_t lane = section[index].lane.value;
        if (lane >= places.size())
            places.resize(lane + 1);
        places[lane] = {index, pinned};
    }
}

const LaneItem *LaneLayout::at(const std::vector<LaneItem> &section, int y)
{
    const auto after = std::upper_bound(section.begin(), section.end(), y,
                                        [](int value, const LaneItem &item) { return value < item.y; });
    if (after == section.begin())
        return nullptr;
    const LaneItem &item = *(after - 1);
    return y < item.y + item.height ? &item : nullptr;
}

std::span<const LaneItem> LaneLayout::between(const std::vector<LaneItem> &section, int top, int bottom)
{
    const auto first =
        std::ranges::partition_point(section, [top](const LaneItem &item) { return item.y + item.height <= top; });
    const auto behind =
        std::partition_point(first, section.end(), [bottom](const LaneItem &item) { return item.y < bottom; });
    return {first, behind};
}

const LaneItem *LaneLayout::find(LaneRef lane) const
{
    const std::vector<Place> &places = m_places[lane.trace];
    const Place place = lane.lane.value < places.size() ? places[lane.lane.value] : Place();
    if (place.index == Place::kNowhere)
        return nullptr;
    return &(place.pinned ? m_pinned : m_items)[place.index];
}

std::vector<std::string> laneKeys(const TraceSet &set, LaneRef lane)
{
    const Trace *trace = set.trace(lane.trace);
    if (!trace)
        return {};
    const std::string prefix = laneKeyPrefix(set, lane.trace);
    for (const LaneGroup &group : laneGroups(*trace)) {
        if (std::ranges::find(group.lanes, lane.lane) == group.lanes.end())
            continue;
        std::vector<std::string> keys{prefix + group.key, prefix + laneKey(*trace, lane.lane)};
        if (set.members().size() > 1)
            keys.insert(keys.begin(), prefix + kTraceKey);
        return keys;
    }
    return {};
}

} // namespace riffle
