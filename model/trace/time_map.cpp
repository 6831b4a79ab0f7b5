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

Ns TimeMap::convert(Ns time, Ns Knot::*from, Ns Knot::*to) const
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
    const auto span = static_cast<long double>((*after).*from - left.*from);
    const auto share = static_cast<long double>(time - left.*from) / span;
    return left.*to + static_cast<Ns>(share * static_cast<long double>((*after).*to - left.*to));
}

} // namespace riffle
