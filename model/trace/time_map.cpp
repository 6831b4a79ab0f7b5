// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/time_map.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

TimeMap::TimeMap(std::vector<Knot> knots) : m_knots(std::move(knots))
{
    assert(std::ranges::adjacent_find(m_knots, [](const Knot &a, const Knot &b) {
               return a.trace >= b.trace || a.set >= b.set;
           }) == m_knots.end());
}

namespace {

/// Converts a time between two knots.
Ns between(const TimeMap::Knot &left, const TimeMap::Knot &right, Ns time, Ns TimeMap::Knot::*from,
           Ns TimeMap::Knot::*to)
{
    const auto span = static_cast<long double>(right.*from - left.*from);
    const auto share = static_cast<long double>(time - left.*from) / span;
    return left.*to + static_cast<Ns>(share * static_cast<long double>(right.*to - left.*to));
}

} // namespace

Ns TimeMap::convert(Ns time, Place from, Place to) const
{
    if (m_knots.empty())
        return time;
    const auto after = std::upper_bound(m_knots.begin(), m_knots.end(), time,
                                        [from](Ns value, const Knot &knot) { return value < knot.*from; });
    // Outside the knots, the map continues with slope one.
    if (after == m_knots.begin())
        return saturatedSum(time - m_knots.front().*from, m_knots.front().*to);
    const Knot &left = *(after - 1);
    if (after == m_knots.end())
        return saturatedSum(time - left.*from, left.*to);
    return between(left, *after, time, from, to);
}

void TimeMap::toTrace(std::span<Ns> setTimes) const
{
    assert(std::ranges::is_sorted(setTimes));
    if (m_knots.empty() || setTimes.empty())
        return;
    auto after = std::ranges::upper_bound(m_knots, setTimes.front(), {}, &Knot::set);
    for (auto time = setTimes.begin(); time != setTimes.end();) {
        const bool isLast = after == m_knots.end();
        const auto end = isLast ? setTimes.end() : std::lower_bound(time, setTimes.end(), after->set);
        const Knot &left = after == m_knots.begin() ? m_knots.front() : *(after - 1);
        if (isLast || after == m_knots.begin())
            std::for_each(time, end, [&](Ns &one) { one = saturatedSum(one - left.set, left.trace); });
        else
            std::for_each(time, end, [&](Ns &one) { one = between(left, *after, one, &Knot::set, &Knot::trace); });
        time = end;
        if (!isLast)
            ++after;
    }
}

} // namespace riffle
