// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/interval_set.h"

#include <algorithm>

namespace riffle {

IntervalSet::IntervalSet(TimeSpan one)
{
    append(one);
}

IntervalSet IntervalSet::unionOf(std::vector<TimeSpan> intervals)
{
    const auto byBegin = [](const TimeSpan &a, const TimeSpan &b) { return a.begin < b.begin; };
    if (!std::is_sorted(intervals.begin(), intervals.end(), byBegin))
        std::sort(intervals.begin(), intervals.end(), byBegin);
    IntervalSet all;
    for (const TimeSpan &interval : intervals)
        all.append(interval);
    return all;
}

Ns IntervalSet::length() const
{
    Ns sum = 0;
    for (const TimeSpan &interval : m_intervals)
        sum += interval.duration();
    return sum;
}

bool IntervalSet::contains(Ns time) const
{
    const auto after = std::upper_bound(m_intervals.begin(), m_intervals.end(), time,
                                        [](Ns value, const TimeSpan &interval) { return value < interval.begin; });
    return after != m_intervals.begin() && (after - 1)->contains(time);
}

void IntervalSet::append(TimeSpan interval)
{
    if (interval.empty())
        return;
    if (!m_intervals.empty() && interval.begin <= m_intervals.back().end)
        m_intervals.back().end = std::max(m_intervals.back().end, interval.end);
    else
        m_intervals.push_back(interval);
}

IntervalSet IntervalSet::operator&(const IntervalSet &other) const
{
    IntervalSet common;
    auto left = m_intervals.begin();
    auto right = other.m_intervals.begin();
    while (left != m_intervals.end() && right != other.m_intervals.end()) {
        common.append({std::max(left->begin, right->begin), std::min(left->end, right->end)});
        left->end < right->end ? ++left : ++right;
    }
    return common;
}

IntervalSet IntervalSet::operator-(const IntervalSet &other) const
{
    IntervalSet rest;
    auto cut = other.m_intervals.begin();
    for (TimeSpan interval : m_intervals) {
        while (cut != other.m_intervals.end() && cut->end <= interval.begin)
            ++cut;
        for (auto at = cut; at != other.m_intervals.end() && at->begin < interval.end; ++at) {
            rest.append({interval.begin, std::min(at->begin, interval.end)});
            interval.begin = std::max(interval.begin, at->end);
        }
        rest.append(interval);
    }
    return rest;
}

IntervalSet IntervalSet::operator|(const IntervalSet &other) const
{
    std::vector<TimeSpan> all(m_intervals.size() + other.m_intervals.size());
    std::merge(m_intervals.begin(), m_intervals.end(), other.m_intervals.begin(), other.m_intervals.end(), all.begin(),
               [](const TimeSpan &a, const TimeSpan &b) { return a.begin < b.begin; });
    return unionOf(std::move(all));
}

Ns IntervalSet::lengthWithin(TimeSpan span) const
{
    auto at = std::partition_point(m_intervals.begin(), m_intervals.end(),
                                   [&](const TimeSpan &interval) { return interval.end <= span.begin; });
    Ns sum = 0;
    for (; at != m_intervals.end() && at->begin < span.end; ++at)
        sum += std::min(at->end, span.end) - std::max(at->begin, span.begin);
    return sum;
}

Ns IntervalWalk::lengthWithin(TimeSpan span)
{
    const std::span<const TimeSpan> all = m_set->intervals();
    if (m_at > 0 && all[m_at - 1].end > span.begin)
        m_at = static_cast<size_t>(std::partition_point(all.begin(), all.end(),
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
