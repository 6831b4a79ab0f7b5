// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/interval_set.h"

#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>

namespace riffle {

IntervalSet::IntervalSet(TimeSpan one) { append(one); }

IntervalSet IntervalSet::unionOf(BigVector<TimeSpan> intervals)
{
    const auto byBegin = [](const TimeSpan &a, const TimeSpan &b) { return a.begin < b.begin; };
    mergeSortRuns(intervals, byBegin);
    IntervalSet all;
    for (size_t at = 0; at < intervals.size(); ++at) {
        throwIfStoppedAt(at);
        all.append(intervals[at]);
    }
    return all;
}

Ns IntervalSet::length() const
{
    Ns sum = 0;
    for (const TimeSpan &interval : intervals())
        sum += interval.duration();
    return sum;
}

bool IntervalSet::contains(Ns time) const
{
    const auto all = intervals();
    const auto after = std::upper_bound(all.begin(), all.end(), time,
                                        [](Ns value, const TimeSpan &interval) { return value < interval.begin; });
    return after != all.begin() && (after - 1)->contains(time);
}

void IntervalSet::reserve(size_t count)
{
    if (count)
        own().reserve(count);
}

bool IntervalSet::operator==(const IntervalSet &other) const
{
    const auto left = intervals(), right = other.intervals();
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

IntervalSet IntervalSet::operator&(const IntervalSet &other) const
{
    IntervalSet common;
    const auto left = intervals(), right = other.intervals();
    for (size_t a = 0, b = 0; a < left.size() && b < right.size();) {
        throwIfStoppedAt(a + b);
        common.append({std::max(left[a].begin, right[b].begin), std::min(left[a].end, right[b].end)});
        left[a].end < right[b].end ? ++a : ++b;
    }
    return common;
}

IntervalSet IntervalSet::operator-(const IntervalSet &other) const
{
    if (empty() || other.empty())
        return *this;
    IntervalSet rest;
    const auto cuts = other.intervals();
    size_t cut = 0;
    size_t number = 0;
    for (TimeSpan interval : intervals()) {
        throwIfStoppedAt(number++);
        while (cut < cuts.size() && cuts[cut].end <= interval.begin)
            ++cut;
        for (size_t at = cut; at < cuts.size() && cuts[at].begin < interval.end; ++at) {
            rest.append({interval.begin, std::min(cuts[at].begin, interval.end)});
            interval.begin = std::max(interval.begin, cuts[at].end);
        }
        rest.append(interval);
    }
    return rest;
}

IntervalSet IntervalSet::operator|(const IntervalSet &other) const
{
    if (empty() || other.empty())
        return empty() ? other : *this;
    IntervalSet both;
    const auto left = intervals(), right = other.intervals();
    both.reserve(left.size() + right.size());
    BigVector<TimeSpan> &all = both.own();
    const auto add = [&all](TimeSpan next) {
        if (!all.empty() && next.begin <= all.back().end)
            all.back().end = std::max(all.back().end, next.end);
        else
            all.push_back(next);
    };
    assert(all.empty());
    size_t a = 0, b = 0;
    while (a < left.size() && b < right.size()) {
        throwIfStoppedAt(a + b);
        const bool isLeft = left[a].begin < right[b].begin; // unpredictable, so no branch depends on it
        const TimeSpan *next = isLeft ? &left[a] : &right[b];
        a += isLeft;
        b += !isLeft;
        add(*next);
    }
    std::for_each(left.begin() + static_cast<ptrdiff_t>(a), left.end(), add);
    std::for_each(right.begin() + static_cast<ptrdiff_t>(b), right.end(), add);
    return both;
}

Ns IntervalSet::lengthWithin(TimeSpan span) const
{
    const auto all = intervals();
    auto at = std::partition_point(all.begin(), all.end(),
                                   [&](const TimeSpan &interval) { return interval.end <= span.begin; });
    Ns sum = 0;
    for (; at != all.end() && at->begin < span.end; ++at)
        sum += std::min(at->end, span.end) - std::max(at->begin, span.begin);
    return sum;
}

Ns IntervalWalk::lengthWithin(TimeSpan span)
{
    const std::span<const TimeSpan> all = m_set->intervals();
    assert(m_at <= all.size()); // the set does not change during the walk
    if (m_at > 0 && all[m_at - 1].end > span.begin)
        m_at = static_cast<size_t>(
            std::partition_point(all.begin(), all.end(),
                                 [&](const TimeSpan &interval) { return interval.end <= span.begin; }) -
            all.begin());
    while (m_at < all.size() && all[m_at].end <= span.begin)
        ++m_at;
    Ns sum = 0;
    for (size_t at = m_at; at < all.size() && all[at].begin < span.end; ++at)
        sum += std::min(all[at].end, span.end) - std::max(all[at].begin, span.begin);
    return sum;
}

} // namespace riffle
