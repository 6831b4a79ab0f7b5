// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include <algorithm>
#include <optional>

namespace riffle {

Ns TimeMap::convert(Ns time, Ns Knot::*from, Ns Knot::*to) const
{
    if (m_knots.empty())
        return time;
    const auto after = std::upper_bound(m_knots.begin(), m_knots.end(), time,
                                        [from](Ns value, const Knot &knot) { return value < knot.*from; });
    // Outside the knots the map goes on with slope one.
    if (after == m_knots.begin())
        return time - m_knots.front().*from + m_knots.front().*to;
    const Knot &left = *(after - 1);
    if (after == m_knots.end())
        return time - left.*from + left.*to;
    const auto span = static_cast<long double>((*after).*from - left.*from);
    const auto share = static_cast<long double>(time - left.*from) / span;
    return left.*to + static_cast<Ns>(share * static_cast<long double>((*after).*to - left.*to));
}

Ns TraceSet::origin() const
{
    std::optional<Ns> first;
    for (const Member &member : members) {
        const Trace &trace = *member.trace;
        const TimeSpan recorded = trace.info.recorded == TimeSpan{} ? trace.span : trace.info.recorded;
        if (recorded == TimeSpan{} && trace.sliceCount() == 0)
            continue;
        const Ns own = member.time.toSet(recorded.begin);
        first = std::min(own, first.value_or(own));
    }
    return first.value_or(0);
}

TimeSpan TraceSet::span() const
{
    TimeSpan all{0, 0};
    bool first = true;
    for (const Member &member : members) {
        if (member.trace->span.empty() && member.trace->sliceCount() == 0)
            continue;
        const TimeSpan own = member.time.toSet(member.trace->span);
        all = first ? own : TimeSpan{std::min(all.begin, own.begin), std::max(all.end, own.end)};
        first = false;
    }
    return all;
}

} // namespace riffle
