// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/pixel_grid.h"

#include <cassert>

namespace riffle {

PixelGrid::PixelGrid(const TimeScale &scale, const TimeMap &map) : m_even(map.identity())
{
    const auto width = static_cast<size_t>(scale.width());
    m_begin.resize(width + 1);
    m_floor.resize(width + 1);
    for (size_t x = 0; x <= width; ++x) {
        m_begin[x] = scale.columnBegin(static_cast<int64_t>(x));
        m_floor[x] = scale.columnFloor(static_cast<int64_t>(x));
        if (!m_even) {
            m_begin[x] = map.toTrace(m_begin[x]);
            m_floor[x] = map.toTrace(m_floor[x]);
        }
    }
    m_columnsPerNs = static_cast<double>(width) / static_cast<double>(scale.range().duration());
}

namespace {

/// Returns the largest x with edges[x] <= time, at most edges.size() - 1; -1 if there is none.
int lastEdgeUpTo(const std::vector<Ns> &edges, Ns time, double columnsPerNs, bool even)
{
    assert(edges.size() > 1);
    const int top = static_cast<int>(edges.size()) - 1;
    if (time < edges.front())
        return -1;
    if (time >= edges.back())
        return top;
    if (!even)
        return static_cast<int>(std::upper_bound(edges.begin(), edges.end(), time) - edges.begin()) - 1;
    const double guess = static_cast<double>(time - edges.front()) * columnsPerNs;
    int x = std::clamp(static_cast<int>(guess), 0, top - 1);
    while (edges[static_cast<size_t>(x)] > time)
        --x;
    while (edges[static_cast<size_t>(x) + 1] <= time)
        ++x;
    return x;
}

} // namespace

int PixelGrid::first(Ns time) const { return std::max(0, lastEdgeUpTo(m_begin, time, m_columnsPerNs, m_even)); }

int PixelGrid::last(Ns end) const
{
    return std::min(width() - 1, lastEdgeUpTo(m_floor, end - 1, m_columnsPerNs, m_even));
}

} // namespace riffle
