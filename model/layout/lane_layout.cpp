// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_layout.h"

#include "model/layout/lane_order.h"
#include "model/layout/trace_strips.h"

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
    for (const TraceMember &other : set.whole().members())
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

/// The name of a lane without what differs between ranks: the ids of threads.
std::string nameWithoutIds(std::string_view name)
{
    constexpr std::string_view kThread = "thread ";
    if (!name.starts_with(kThread))
        return std::string(name);
    name.remove_prefix(kThread.size());
    name.remove_prefix(std::min(name.find_first_not_of("0123456789 "), name.size()));
    return name.empty() ? "threads" : "threads " + std::string(name);
}

/// The key of the heading of all lanes with a name.
std::string nameKey(bool gpu, const std::string &name) { return (gpu ? "device/" : "host/") + name; }

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

} // namespace

void LaneLayout::addTo(std::vector<NamedLanes> &named, LaneItem lane, const std::string &rank)
{
    const std::string name = nameWithoutIds(lane.title);
    auto group =
        std::ranges::find_if(named, [&](const NamedLanes &one) { return one.gpu == lane.gpu && one.name == name; });
    if (group == named.end())
        group = named.insert(named.end(), {name, lane.gpu, {}});
    lane.group = nameKey(lane.gpu, name);
    lane.title = lane.title == name ? rank : rank + " · " + lane.title;
    lane.indent = 1;
    group->lanes.push_back(std::move(lane));
}

LaneLayout::LaneLayout(const TraceSet &set, const SetGraphs &graphs, const LaneState &state, const SetBands &bands,
                       const SetSqueezedLanes &squeezed)
{
    const bool many = set.members().size() > 1;
    std::vector<NamedLanes> byName;
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
        const TraceStrips strips(set, member, graphs[member.id].get(), bands, state, squeezed[member.id]);
        LaneItem top = strips.heading(LaneItem::Kind::TraceHeading, kTraceKey, set.title(member.id));
        if (const std::string file = fileName(trace.info.path); top.title.find(file) == std::string::npos)
            top.note = file;
        top.quiet = many && state.ranksFolded;
        if (top.quiet)
            top.folded = !state.unfolded.contains(top.key) && state.filter.empty();
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
            if (many && state.byName) {
                for (LaneItem &lane : shown)
                    if (!head.quiet || !head.folded)
                        addTo(byName, std::move(lane), top.title);
                continue;
            }
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
    addNamed(std::move(byName), state);
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

void LaneLayout::addNamed(std::vector<NamedLanes> named, const LaneState &state)
{
    std::ranges::stable_partition(named, &NamedLanes::gpu);
    for (NamedLanes &group : named) {
        LaneItem head;
        head.kind = LaneItem::Kind::GroupHeading;
        head.trace = group.lanes.front().trace;
        head.key = nameKey(group.gpu, group.name);
        head.title = group.name;
        head.note = std::to_string(group.lanes.size()) + (group.lanes.size() == 1 ? " lane" : " lanes");
        head.gpu = group.gpu;
        head.foldable = true;
        head.folded = state.folded.contains(head.key);
        const bool isOpen = !head.folded;
        m_items.push_back(std::move(head));
        if (isOpen)
            m_items.insert(m_items.end(), std::make_move_iterator(group.lanes.begin()),
                           std::make_move_iterator(group.lanes.end()));
    }
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

std::optional<uint32_t> rowInStrip(const LaneItem &item, const Segment &segment, SliceId slice)
{
    const uint32_t index = segment.indexOf(slice);
    if (!item.squeezed)
        return segment.rowOf(index);
    const auto place = item.squeezed->find(slice, segment.slices.start[index]);
    return place ? std::optional(place->segment->rowOf(place->at)) : std::nullopt;
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
        if (set.members().size() > 1) {
            keys.insert(keys.begin(), prefix + kTraceKey);
            keys.insert(keys.begin(), nameKey(group.device >= 0, nameWithoutIds(trace->laneName(lane.lane))));
        }
        return keys;
    }
    return {};
}

} // namespace riffle
