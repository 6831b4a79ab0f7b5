// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include "model/trace/run/place_in_name.h"
#include "model/trace/run/rank_facts.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

/// Two traces are far apart if the gap between them is more than this many times as long as the longer trace; no view
/// could show both.
constexpr int kFar = 10;

/// Returns what to add to times of a trace to put them on a clock whose time 0 is `base`: the difference of the base
/// times, or 0 if it is unknown or absurd.
Ns clockOffset(const std::optional<Ns> &base, const std::optional<Ns> &own, TimeSpan recorded)
{
    Ns offset = 0;
    if (!base || !own || __builtin_sub_overflow(*own, *base, &offset))
        return 0;
    const bool sane =
        saturatedSum(recorded.begin, offset) >= kEarliestTime && saturatedSum(recorded.end, offset) <= kLatestTime;
    return sane ? offset : 0;
}

/// True if the facts are about the trace that the member had last.
bool fits(const RankFacts &facts, const TraceMember &member)
{
    return facts.slices == member.slices && facts.span == member.span && facts.recorded == member.recorded &&
           facts.asked == member.asked && facts.rank == member.rank;
}

bool isFar(TimeSpan a, TimeSpan b)
{
    return std::max(b.begin - a.end, a.begin - b.end) / kFar > std::max({a.duration(), b.duration(), Ns{1}});
}

} // namespace

TraceSet TraceSet::of(std::vector<std::shared_ptr<const Trace>> traces)
{
    TraceSet set;
    for (std::shared_ptr<const Trace> &trace : traces)
        set.add(std::move(trace));
    return set;
}

TimeMap TraceSet::placed(std::optional<Ns> ownBase, TimeSpan recorded)
{
    const Ns offset = clockOffset(m_base, ownBase, recorded);
    Moved own{{recorded.begin + offset, recorded.end + offset}};
    const auto near = std::ranges::find_if(m_placed, [&](const Moved &other) { return !isFar(other.span, own.span); });
    if (near != m_placed.end())
        own.by = near->by;
    else if (!m_placed.empty())
        own.by = m_placed.front().span.begin - own.span.begin;
    const Ns total = offset + own.by;
    if (Ns base = 0; !m_base && ownBase && !__builtin_sub_overflow(*ownBase, total, &base))
        m_base = base;
    if (!recorded.empty())
        m_placed.push_back(own);
    return total ? TimeMap({{0, total}}) : TimeMap();
}

TraceId TraceSet::expect(std::string path)
{
    const TraceId id(m_nextId++);
    TraceMember member;
    member.id = id;
    member.state = MemberState::Loading;
    member.path = std::move(path);
    m_members.push_back(std::move(member));
    m_memberPlaces[id] = static_cast<uint32_t>(m_members.size());
    m_titles = makeTitles();
    return id;
}

void TraceSet::expectAgain(TraceId id)
{
    TraceMember &member = get(id);
    assert(member.state != MemberState::Loaded);
    member.state = MemberState::Loading;
    member.why.clear();
}

TraceId TraceSet::add(std::shared_ptr<const Trace> trace)
{
    assert(trace);
    const TraceId id = expect(trace->info.path);
    load(id, std::move(trace));
    return id;
}

TraceId TraceSet::add(std::shared_ptr<const Trace> trace, TimeMap time)
{
    const TraceId id = add(std::move(trace));
    setTime(id, std::move(time));
    return id;
}

TraceMember &TraceSet::get(TraceId id)
{
    const uint32_t place = m_memberPlaces[id];
    assert(place);
    return m_members[place - 1];
}

void TraceSet::indexMembers()
{
    m_memberPlaces.clear();
    for (size_t at = 0; at < m_members.size(); ++at)
        m_memberPlaces[m_members[at].id] = static_cast<uint32_t>(at + 1);
    m_titles = makeTitles();
}

void TraceSet::indexLoaded()
{
    m_loadedPlaces.clear();
    for (size_t at = 0; at < m_loaded.size(); ++at)
        m_loadedPlaces[m_loaded[at].id] = static_cast<uint32_t>(at + 1);
}

void TraceSet::load(TraceId id, std::shared_ptr<const Trace> trace)
{
    assert(trace);
    describe(get(id), *trace);
    drop(id);
    const auto isEarlier = [this, id](const LoadedTrace &one) { return m_memberPlaces[one.id] < m_memberPlaces[id]; };
    const auto behind = std::ranges::find_if_not(m_loaded, isEarlier);
    m_loaded.insert(behind, {id, std::move(trace), m_placements[id]->time, ++m_readings, std::nullopt});
    indexLoaded();
}

void TraceSet::know(TraceId id, std::shared_ptr<const RankFacts> facts)
{
    assert(facts);
    TraceMember &member = get(id);
    if (member.isKnown && !fits(*facts, member))
        return;
    member.facts = std::move(facts);
    if (member.isKnown)
        return;
    const RankFacts &known = *member.facts;
    member.isKnown = true;
    member.format = known.format;
    member.bytes = known.bytes;
    member.slices = known.slices;
    member.span = known.span;
    member.asked = known.asked;
    member.recorded = known.recorded;
    member.rank = known.rank;
    member.worldSize = known.worldSize;
    place(id, known.baseTimeNs, known.recorded);
    m_titles = makeTitles();
}

void TraceSet::grow(TraceId id, std::shared_ptr<const Trace> trace, std::optional<Growing> growing)
{
    assert(trace);
    assert(find(id));
    LoadedTrace *member = &m_loaded[m_loadedPlaces[id] - 1];
    describe(get(id), *trace);
    member->trace = std::move(trace);
    member->time = m_placements[id]->time;
    member->growing = std::move(growing);
}

/// Notes what is known about a member without its trace, and its place on the clock.
void TraceSet::describe(TraceMember &member, const Trace &trace)
{
    if (member.path != trace.info.path || member.rank != trace.info.rank)
        m_titles = makeTitles();
    member.state = MemberState::Loaded;
    member.path = trace.info.path;
    member.why.clear();
    member.isKnown = true;
    member.format = trace.info.format;
    member.bytes = trace.info.fileBytes;
    member.slices = trace.sliceCount();
    member.span = trace.span;
    member.asked = trace.askedSpan();
    member.recorded = trace.recordedSpan();
    member.rank = trace.info.rank;
    member.worldSize = trace.info.worldSize;
    if (member.facts && !fits(*member.facts, member))
        member.facts = nullptr;
    place(member.id, trace.info.baseTimeNs, trace.recordedSpan());
}

/// Places a member on the clock, unless it has been placed already by the same wall-clock time.
void TraceSet::place(TraceId id, std::optional<Ns> base, TimeSpan recorded)
{
    std::optional<Placement> &placement = m_placements[id];
    if (!placement || placement->base != base)
        placement = Placement{placed(base, recorded), base, false};
}

void TraceSet::drop(TraceId id)
{
    if (std::erase_if(m_loaded, [id](const LoadedTrace &one) { return one.id == id; }))
        indexLoaded();
}

void TraceSet::unload(TraceId id)
{
    get(id).state = MemberState::Unloaded;
    drop(id);
}

void TraceSet::fail(TraceId id, std::string why)
{
    TraceMember &member = get(id);
    member.state = MemberState::Failed;
    member.why = std::move(why);
    drop(id);
}

void TraceSet::remove(TraceId id)
{
    std::erase_if(m_members, [id](const TraceMember &one) { return one.id == id; });
    indexMembers();
    m_placements.erase(id);
    drop(id);
}

void TraceSet::move(TraceId id, size_t place)
{
    const auto from = m_members.begin() + (&get(id) - m_members.data());
    const auto to = m_members.begin() + static_cast<std::ptrdiff_t>(std::min(place, m_members.size() - 1));
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
    indexMembers();
    std::ranges::stable_sort(m_loaded, {}, [this](const LoadedTrace &one) { return m_memberPlaces[one.id]; });
    indexLoaded();
}

void TraceSet::setTime(TraceId id, TimeMap time)
{
    std::optional<Placement> &placement = m_placements[id];
    assert(placement);
    placement->time = time;
    placement->isSet = true;
    for (LoadedTrace &one : m_loaded)
        if (one.id == id)
            one.time = time;
}

bool TraceSet::isTimeSet(TraceId id) const
{
    const std::optional<Placement> &placement = m_placements[id];
    return placement && placement->isSet;
}

TraceSet TraceSet::part(std::span<const TraceId> ids) const
{
    const auto isOther = [ids](const auto &one) { return std::ranges::find(ids, one.id) == ids.end(); };
    TraceSet part = *this;
    if (!m_whole)
        part.m_whole = std::make_shared<const TraceSet>(*this);
    std::erase_if(part.m_members, isOther);
    std::erase_if(part.m_loaded, isOther);
    part.indexMembers();
    part.indexLoaded();
    return part;
}

const TraceMember *TraceSet::member(TraceId id) const
{
    const uint32_t place = m_memberPlaces[id];
    return place ? &m_members[place - 1] : nullptr;
}

const LoadedTrace *TraceSet::find(TraceId id) const
{
    const uint32_t place = m_loadedPlaces[id];
    return place ? &m_loaded[place - 1] : nullptr;
}

std::vector<TraceId> TraceSet::loadedOf(std::span<const TraceId> ids) const
{
    std::vector<TraceId> found;
    for (const LoadedTrace &member : m_loaded)
        if (ids.empty() || std::ranges::find(ids, member.id) != ids.end())
            found.push_back(member.id);
    return found;
}

const Trace *TraceSet::trace(TraceId id) const
{
    const LoadedTrace *found = find(id);
    return found ? found->trace.get() : nullptr;
}

const TimeMap &TraceSet::time(TraceId id) const
{
    static const TimeMap identity;
    const std::optional<Placement> &placement = m_placements[id];
    return placement ? placement->time : identity;
}

namespace {

/// The path of a member, without a slash at its end.
std::string_view pathOf(const TraceMember &member)
{
    std::string_view path = member.path;
    while (path.size() > 1 && path.back() == '/')
        path.remove_suffix(1);
    return path;
}

/// Returns the last `parts` parts of a path, or all of it if it has no more.
std::string_view tailOf(std::string_view path, size_t parts)
{
    size_t from = path.size();
    while (parts-- > 0) {
        from = from == 0 ? std::string_view::npos : path.rfind('/', from - 1);
        if (from == std::string_view::npos)
            return path;
    }
    return path.substr(from + 1);
}

/// The rank that the member recorded, otherwise the one that its path tells.
std::optional<int64_t> rankOf(const TraceMember &member)
{
    return member.rank ? member.rank : placeInName(member.path).rank;
}

/// "Rank 3"; without a rank, the name of the trace's file or log if other traces have one, and otherwise the place.
std::string ownTitle(const TraceMember &member, size_t place, bool ranked)
{
    if (const std::optional<int64_t> rank = rankOf(member); rank || !ranked)
        return "Rank " + std::to_string(rank.value_or(static_cast<int64_t>(place)));
    std::string_view name = pathOf(member);
    if (name.ends_with(".part")) // a part of a log, which is named after its folder
        name = name.substr(0, name.rfind('/'));
    return std::string(tailOf(name, 1));
}

} // namespace

/// The titles of all members of a set.
struct TraceSet::Titles {
    std::once_flag once;
    std::unordered_map<uint32_t, std::string> byId;
};

std::shared_ptr<TraceSet::Titles> TraceSet::makeTitles() { return std::make_shared<Titles>(); }

namespace {

/// Returns what the path of each of these members has at its end that the paths of the others lack; nothing for
/// members whose paths are all the same.
std::vector<std::string_view> differingTails(const std::vector<const TraceMember *> &members)
{
    std::unordered_map<std::string_view, size_t> paths; // how many members have it
    for (const TraceMember *member : members)
        ++paths[pathOf(*member)];
    std::unordered_map<std::string_view, std::string_view> tails;
    for (size_t parts = 1; paths.size() > 1 && tails.size() < paths.size(); ++parts) {
        std::unordered_map<std::string_view, size_t> sharers; // by tail
        for (const auto &[path, count] : paths)
            ++sharers[tailOf(path, parts)];
        for (const auto &[path, count] : paths)
            if (const std::string_view tail = tailOf(path, parts); sharers[tail] == 1)
                tails.try_emplace(path, tail);
    }
    std::vector<std::string_view> found;
    for (const TraceMember *member : members)
        found.push_back(tails[pathOf(*member)]);
    return found;
}

} // namespace

std::string TraceSet::title(TraceId id) const
{
    if (m_whole)
        return m_whole->title(id);
    assert(m_memberPlaces[id]);
    std::call_once(m_titles->once, [this] {
        const bool ranked =
            std::ranges::any_of(m_members, [](const TraceMember &member) { return rankOf(member).has_value(); });
        std::unordered_map<std::string, std::vector<const TraceMember *>> namesakes;
        for (size_t at = 0; at < m_members.size(); ++at)
            namesakes[ownTitle(m_members[at], at, ranked)].push_back(&m_members[at]);
        for (const auto &[own, members] : namesakes) {
            const std::vector<std::string_view> tails = differingTails(members);
            std::unordered_map<std::string_view, size_t> copies, numbers; // of the members with the same path
            for (const TraceMember *member : members)
                ++copies[pathOf(*member)];
            for (size_t at = 0; at < members.size(); ++at) {
                std::string more(tails[at]);
                const size_t number = ++numbers[pathOf(*members[at])];
                if (copies[pathOf(*members[at])] > 1)
                    more += (more.empty() ? "" : ", ") + std::to_string(number);
                m_titles->byId[members[at]->id.value] = more.empty() ? own : own + " (" + more + ")";
            }
        }
    });
    return m_titles->byId.at(id.value);
}

/// Returns the span, in set time, from the first start to the last end of all members that have events.
TimeSpan TraceSet::united(TimeSpan TraceMember::*span) const
{
    std::optional<TimeSpan> all;
    for (const TraceMember &member : m_members) {
        if (!member.isKnown || (member.*span == TimeSpan{} && member.slices == 0))
            continue;
        const TimeSpan own = time(member.id).toSet(member.*span);
        all = all ? TimeSpan{std::min(all->begin, own.begin), std::max(all->end, own.end)} : own;
    }
    return all.value_or(TimeSpan{});
}

Ns TraceSet::origin() const { return m_whole ? m_whole->origin() : united(&TraceMember::recorded).begin; }
TimeSpan TraceSet::span() const { return united(&TraceMember::span); }
TimeSpan TraceSet::askedSpan() const { return united(&TraceMember::asked); }

} // namespace riffle
