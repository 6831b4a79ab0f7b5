// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/pixel_grid.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace riffle {

PixelGrid::PixelGrid(const TimeScale &scale)
{
    const auto width = static_cast<Ns>(scale.width());
    const TimeSpan range = scale.range();
    m_begin.resize(static_cast<size_t>(width) + 1);
    m_floor.resize(m_begin.size());
    // The same as TimeScale::columnBegin() and columnFloor(), but with one division for all columns.
    const Ns whole = range.duration() / width;
    const Ns part = range.duration() % width;
    Ns floor = range.begin;
    Ns remainder = 0; // in parts of 1 / width ns
    for (size_t x = 0; x < m_begin.size(); ++x) {
        m_floor[x] = floor;
        m_begin[x] = floor + (remainder > 0 ? 1 : 0);
        floor += whole;
        remainder += part;
        if (remainder >= width) {
            remainder -= width;
            ++floor;
        }
    }
    measure();
}

PixelGrid::PixelGrid(const PixelGrid &ofSet, const TimeMap &map) : PixelGrid(ofSet)
{
    map.toTrace(m_begin);
    map.toTrace(m_floor);
    measure();
}

/// Finds out how to guess columns, and whether guesses are close.
void PixelGrid::measure()
{
    constexpr int kClose = 4;
    const Ns length = std::max<Ns>(1, m_begin.back() - m_begin.front());
    m_columnsPerNs = static_cast<double>(width()) / static_cast<double>(length);
    m_even = true;
    for (int x = 0; x <= width() && m_even; ++x)
        m_even = std::abs(guess(m_begin[static_cast<size_t>(x)]) - x) <= kClose;
}

/// Returns the largest x with edges[x] <= time, at most width(); -1 if there is none.
int PixelGrid::lastEdgeUpTo(const std::vector<Ns> &edges, Ns time) const
{
    assert(edges.size() > 1);
    const int top = width();
    if (time < edges.front())
        return -1;
    if (time >= edges.back())
        return top;
    if (!m_even)
        return static_cast<int>(std::upper_bound(edges.begin(), edges.end(), time) - edges.begin()) - 1;
    int x = std::clamp(guess(time), 0, top - 1);
    while (edges[static_cast<size_t>(x)] > time)
        --x;
    while (edges[static_cast<size_t>(x) + 1] <= time)
        ++x;
    return x;
}

int PixelGrid::first(Ns time) const { return std::max(0, lastEdgeUpTo(m_begin, time)); }

int PixelGrid::last(Ns end) const { return std::min(width() - 1, lastEdgeUpTo(m_floor, end - 1)); }

} // namespace riffle
