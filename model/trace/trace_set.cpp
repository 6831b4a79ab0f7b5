// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

/// Two traces are far apart if the gap between them is more than this many times as long as the longer trace; no view
/// could show both.
constexpr int kFar = 10;

/// Returns what to add to times of a trace to put them on a clock whose time 0 is `base`: the difference of the base
/// times, or 0 if it is unknown or absurd.
Ns clockOffset(const std::optional<Ns> &base, const Trace &trace)
{
    const auto &own = trace.info.baseTimeNs;
    Ns offset = 0;
    if (!base || !own || __builtin_sub_overflow(*own, *base, &offset))
        return 0;
    const bool sane = saturatedSum(trace.recordedSpan().begin, offset) >= kEarliestTime &&
                      saturatedSum(trace.recordedSpan().end, offset) <= kLatestTime;
    return sane ? offset : 0;
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

TimeMap TraceSet::placed(const Trace &trace)
{
    const Ns offset = clockOffset(m_base, trace);
    const TimeSpan recorded = trace.recordedSpan();
    Moved own{{recorded.begin + offset, recorded.end + offset}};
    const auto near = std::ranges::find_if(m_placed, [&](const Moved &other) { return !isFar(other.span, own.span); });
    if (near != m_placed.end())
        own.by = near->by;
    else if (!m_placed.empty())
        own.by = m_placed.front().span.begin - own.span.begin;
    const Ns total = offset + own.by;
    if (Ns base = 0; !m_base && trace.info.baseTimeNs && !__builtin_sub_overflow(*trace.info.baseTimeNs, total, &base))
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
    const auto found = std::ranges::find(m_members, id, &TraceMember::id);
    assert(found != m_members.end());
    return *found;
}

void TraceSet::load(TraceId id, std::shared_ptr<const Trace> trace)
{
    assert(trace);
    describe(get(id), *trace);
    drop(id);
    const auto isEarlier = [this, id](const LoadedTrace &one) {
        return std::ranges::find(m_members, one.id, &TraceMember::id) <
               std::ranges::find(m_members, id, &TraceMember::id);
    };
    const auto behind = std::ranges::find_if_not(m_loaded, isEarlier);
    m_loaded.insert(behind, {id, std::move(trace), m_placements[id]->time, ++m_readings, std::nullopt});
}

void TraceSet::grow(TraceId id, std::shared_ptr<const Trace> trace, std::optional<Growing> growing)
{
    assert(trace);
    const auto member = std::ranges::find(m_loaded, id, &LoadedTrace::id);
    assert(member != m_loaded.end());
    describe(get(id), *trace);
    member->trace = std::move(trace);
    member->time = m_placements[id]->time;
    member->growing = std::move(growing);
}

/// Notes what is known about a member without its trace, and its place on the clock.
void TraceSet::describe(TraceMember &member, const Trace &trace)
{
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
    std::optional<Placement> &placement = m_placements[member.id];
    if (!placement || placement->base != trace.info.baseTimeNs)
        placement = Placement{placed(trace), trace.info.baseTimeNs, false};
}

void TraceSet::drop(TraceId id)
{
    std::erase_if(m_loaded, [id](const LoadedTrace &one) { return one.id == id; });
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
    std::ranges::stable_sort(m_loaded, {}, [this](const LoadedTrace &one) {
        return std::ranges::find(m_members, one.id, &TraceMember::id) - m_members.begin();
    });
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
    return part;
}

const TraceMember *TraceSet::member(TraceId id) const
{
    const auto found = std::ranges::find(m_members, id, &TraceMember::id);
    return found == m_members.end() ? nullptr : &*found;
}

const LoadedTrace *TraceSet::find(TraceId id) const
{
    const auto found = std::ranges::find(m_loaded, id, &LoadedTrace::id);
    return found == m_loaded.end() ? nullptr : &*found;
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

/// "Rank 3"; without a rank, the name of the trace's file or log if other traces recorded one, and otherwise the place.
std::string ownTitle(const TraceMember &member, size_t place, bool ranked)
{
    if (member.rank || !ranked)
        return "Rank " + std::to_string(member.rank.value_or(static_cast<int64_t>(place)));
    std::string_view name = pathOf(member);
    if (name.ends_with(".part")) // a part of a log, which is named after its folder
        name = name.substr(0, name.rfind('/'));
    return std::string(tailOf(name, 1));
}

} // namespace

std::string TraceSet::title(TraceId id) const
{
    if (m_whole)
        return m_whole->title(id);
    const auto index = static_cast<size_t>(std::ranges::find(m_members, id, &TraceMember::id) - m_members.begin());
    assert(index < m_members.size());
    const bool ranked =
        std::ranges::any_of(m_members, [](const TraceMember &member) { return member.rank.has_value(); });
    std::string own = ownTitle(m_members[index], index, ranked);
    if (!ranked)
        return own; // places differ
    const std::string_view path = pathOf(m_members[index]);
    std::vector<std::string_view> namesakes; // the paths of the members with the same title, if they differ
    size_t copies = 0, number = 0;           // of the members with the same title and path: how many, and which one
    for (size_t other = 0; other < m_members.size(); ++other) {
        if (ownTitle(m_members[other], other, ranked) != own)
            continue;
        if (pathOf(m_members[other]) != path) {
            namesakes.push_back(pathOf(m_members[other]));
            continue;
        }
        ++copies;
        if (other == index)
            number = copies;
    }
    std::string more;
    if (!namesakes.empty()) {
        size_t parts = 1;
        const auto isShared = [&](std::string_view other) { return tailOf(other, parts) == tailOf(path, parts); };
        while (std::ranges::any_of(namesakes, isShared))
            ++parts;
        more = tailOf(path, parts);
    }
    if (copies > 1)
        more += (more.empty() ? "" : ", ") + std::to_string(number);
    return more.empty() ? own : own + " (" + more + ")";
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
