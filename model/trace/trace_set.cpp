// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace riffle {

TimeMap::TimeMap(std::vector<Knot> knots) : m_knots(std::move(knots))
{
    assert(std::ranges::adjacent_find(m_knots, [](const Knot &a, const Knot &b) {
               return a.trace >= b.trace || a.set >= b.set;
           }) == m_knots.end());
}

Ns TimeMap::convert(Ns time, Ns Knot::*from, Ns Knot::*to) const
{
    if (m_knots.empty())
        return time;
    const auto after = std::upper_bound(m_knots.begin(), m_knots.end(), time,
                                        [from](Ns value, const Knot &knot) { return value < knot.*from; });
    // Outside the knots, the map continues with slope one.
    if (after == m_knots.begin())
        return time - m_knots.front().*from + m_knots.front().*to;
    const Knot &left = *(after - 1);
    if (after == m_knots.end())
        return time - left.*from + left.*to;
    const auto span = static_cast<long double>((*after).*from - left.*from);
    const auto share = static_cast<long double>(time - left.*from) / span;
    return left.*to + static_cast<Ns>(share * static_cast<long double>((*after).*to - left.*to));
}

namespace {

constexpr Ns kSameClock = 1'000'000; ///< two readings of the base time on one machine differ by less
/// Two traces are far apart if the gap between them is more than this many times as long as the longer trace; no view
/// could show both.
constexpr int kFar = 10;

/// Returns what to add to times of `other` to put them on the clock of `first`: the difference of their base times, or
/// 0 if it is unknown, negligible or absurd.
Ns clockOffset(const Trace &first, const Trace &other)
{
    const auto &base = first.info.baseTimeNs, &own = other.info.baseTimeNs;
    Ns offset = 0;
    if (!base || !own || __builtin_sub_overflow(*own, *base, &offset) || (offset > -kSameClock && offset < kSameClock))
        return 0;
    const bool sane = saturatedSum(other.recordedSpan().begin, offset) >= kEarliestTime &&
                      saturatedSum(other.recordedSpan().end, offset) <= kLatestTime;
    return sane ? offset : 0;
}

bool isFar(TimeSpan a, TimeSpan b)
{
    return std::max(b.begin - a.end, a.begin - b.end) / kFar > std::max({a.duration(), b.duration(), Ns{1}});
}

/// A trace's span on the clock of the first trace, and how far it is shifted from there.
struct Moved {
    TimeSpan span;
    Ns by = 0;
};

} // namespace

TraceSet TraceSet::of(std::vector<std::shared_ptr<const Trace>> traces)
{
    TraceSet set;
    std::vector<Moved> placed;
    for (std::shared_ptr<const Trace> &trace : traces) {
        assert(trace);
        const Ns offset = set.empty() ? 0 : clockOffset(*set.members.front().trace, *trace);
        const TimeSpan recorded = trace->recordedSpan();
        Moved own{{recorded.begin + offset, recorded.end + offset}};
        const auto near =
            std::ranges::find_if(placed, [&](const Moved &other) { return !isFar(other.span, own.span); });
        if (near != placed.end())
            own.by = near->by;
        else if (!placed.empty())
            own.by = placed.front().span.begin - own.span.begin;
        const Ns total = offset + own.by;
        if (!recorded.empty())
            placed.push_back(own);
        set.members.push_back({std::move(trace), total ? TimeMap({{0, total}}) : TimeMap()});
    }
    return set;
}

namespace {

/// The path of a trace, without a slash at its end.
std::string_view pathOf(const TraceSet::Member &member)
{
    std::string_view path = member.trace->info.path;
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

/// "Rank 3"; without a rank, the name of the trace's file or log if other traces recorded one, and otherwise the index.
std::string ownTitle(const TraceSet &set, uint32_t index, bool ranked)
{
    const TraceSet::Member &member = set.members[index];
    if (member.trace->info.rank || !ranked)
        return "Rank " + std::to_string(member.trace->info.rank.value_or(index));
    std::string_view name = pathOf(member);
    if (name.ends_with(".part")) // a part of a log, which is named after its folder
        name = name.substr(0, name.rfind('/'));
    return std::string(tailOf(name, 1));
}

} // namespace

std::string TraceSet::title(uint32_t index) const
{
    assert(index < members.size());
    const bool ranked =
        std::ranges::any_of(members, [](const Member &member) { return member.trace->info.rank.has_value(); });
    std::string own = ownTitle(*this, index, ranked);
    if (!ranked)
        return own; // indices differ
    const std::string_view path = pathOf(members[index]);
    std::vector<std::string_view> namesakes; // the paths of the traces with the same title, if they differ
    size_t copies = 0, number = 0;           // of the traces with the same title and path: how many, and which one
    for (uint32_t other = 0; other < members.size(); ++other) {
        if (ownTitle(*this, other, ranked) != own)
            continue;
        if (pathOf(members[other]) != path) {
            namesakes.push_back(pathOf(members[other]));
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

Ns TraceSet::origin() const
{
    std::optional<Ns> first;
    for (const Member &member : members) {
        const Trace &trace = *member.trace;
        const TimeSpan recorded = trace.recordedSpan();
        if (recorded == TimeSpan{} && trace.sliceCount() == 0)
            continue;
        const Ns own = member.time.toSet(recorded.begin);
        first = std::min(own, first.value_or(own));
    }
    return first.value_or(0);
}

namespace {

/// Returns the span, in set time, from the first start to the last end of all non-empty members; `spanOf` returns a
/// member's span.
template <typename F>
TimeSpan united(const TraceSet &set, F spanOf)
{
    TimeSpan all{0, 0};
    bool first = true;
    for (const TraceSet::Member &member : set.members) {
        if (member.trace->span.empty() && member.trace->sliceCount() == 0)
            continue;
        const TimeSpan own = member.time.toSet(spanOf(*member.trace));
        all = first ? own : TimeSpan{std::min(all.begin, own.begin), std::max(all.end, own.end)};
        first = false;
    }
    return all;
}

} // namespace

TimeSpan TraceSet::span() const
{
    return united(*this, [](const Trace &trace) { return trace.span; });
}

TimeSpan TraceSet::askedSpan() const
{
    return united(*this, [](const Trace &trace) { return trace.askedSpan(); });
}

} // namespace riffle
