// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/time_scale.h"

#include <cassert>
#include <cmath>

namespace riffle {

namespace {

__extension__ typedef __int128 Wide;

Wide floorDiv(Wide a, Wide b)
{
    const Wide quotient = a / b;
    return a % b < 0 ? quotient - 1 : quotient;
}

constexpr Ns kFarthest = Ns{1} << 62;

Ns limited(long double time) { return static_cast<Ns>(std::clamp<long double>(time, -kFarthest, kFarthest)); }

} // namespace

TimeScale::TimeScale(TimeSpan range, int width) : m_range(range), m_width(std::max(width, 1))
{
    if (m_range.empty())
        m_range.end = m_range.begin + 1;
    assert(m_width > 0 && m_range.begin < m_range.end);
}

double TimeScale::x(Ns time) const
{
    return static_cast<double>(static_cast<long double>(time - m_range.begin) * m_width /
                               static_cast<long double>(m_range.duration()));
}

int64_t TimeScale::column(Ns time) const
{
    return static_cast<int64_t>(floorDiv((static_cast<Wide>(time) - m_range.begin) * m_width, m_range.duration()));
}

Ns TimeScale::timeAt(double x) const
{
    return m_range.begin + static_cast<Ns>(std::floor(static_cast<long double>(x) *
                                                      static_cast<long double>(m_range.duration()) / m_width));
}

Ns TimeScale::columnBegin(int64_t column) const
{
    return m_range.begin - static_cast<Ns>(floorDiv(-(static_cast<Wide>(column) * m_range.duration()), m_width));
}

Ns TimeScale::columnFloor(int64_t column) const
{
    return m_range.begin + static_cast<Ns>(floorDiv(static_cast<Wide>(column) * m_range.duration(), m_width));
}

TimeSpan zoomed(TimeSpan range, Ns anchor, double factor)
{
    assert(factor > 0);
    const Ns old = std::max<Ns>(range.duration(), 1);
    Ns length = limited(std::round(static_cast<long double>(old) * factor));
    if (factor < 1)
        length = std::min(length, old - 1);
    else if (factor > 1)
        length = std::max(length, old + 1);
    length = std::max(length, kNarrowestRange);
    const long double share = static_cast<long double>(anchor - range.begin) / static_cast<long double>(old);
    const Ns begin = limited(std::round(static_cast<long double>(anchor) - share * static_cast<long double>(length)));
    return {begin, begin + length};
}

TimeSpan shifted(TimeSpan range, double share)
{
    long double by = std::round(static_cast<long double>(range.duration()) * share);
    if (by == 0 && share != 0)
        by = share < 0 ? -1 : 1;
    const Ns begin = limited(static_cast<long double>(range.begin) + by);
    return {begin, begin + range.duration()};
}

TimeSpan padded(TimeSpan span, double share)
{
    const Ns room = static_cast<Ns>(static_cast<long double>(span.duration()) * share);
    const Ns begin = saturatedSum(span.begin, -room);
    // The length of the result must also fit into 64 bits.
    return {begin, std::min(saturatedSum(span.end, room), saturatedSum(begin, INT64_MAX))};
}

TimeSpan confined(TimeSpan range, TimeSpan bounds)
{
    Ns length = std::max(range.duration(), kNarrowestRange);
    length = std::min(length, std::max(bounds.duration(), kNarrowestRange));
    const Ns begin = std::max(bounds.begin, std::min(range.begin, bounds.end - length));
    return {begin, begin + length};
}

Ns tickStep(const TimeScale &scale, double leastPixels)
{
    const double nsPerPixel = static_cast<double>(scale.range().duration()) / scale.width();
    const double least = nsPerPixel * leastPixels;
    Ns step = 1;
    while (true) {
        for (const Ns times : {1, 2, 5})
            if (static_cast<double>(step * times) >= least)
                return step * times;
        if (step > kFarthest / 10)
            return step;
        step *= 10;
    }
}

} // namespace riffle
