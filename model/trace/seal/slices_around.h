// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The slices of a lane as seen from a point that moves forward in time. Indices are those of the lane's order.
class SlicesAround {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    SlicesAround(std::span<const Ns> start, std::span<const Ns> duration) : m_start(start), m_duration(duration) {}
    void goTo(Ns time)
    {
        assert(m_next == 0 || time >= m_time);
        if (time != m_time)
            m_startsHere = m_endsHere = kNone;
        m_time = time;
        for (; m_next < m_start.size() && m_start[m_next] <= time; ++m_next) {
            m_open.push_back(static_cast<uint32_t>(m_next));
            if (m_start[m_next] == time && m_duration[m_next] > 0)
                m_startsHere = m_open.back();
        }
        while (!m_open.empty() && !covers(m_open.back())) {
            if (m_endsHere == kNone && endsHere(m_open.back()))
                m_endsHere = m_open.back();
            m_open.pop_back(); // it has ended, so it does not cover later points either
        }
    }
    /// Returns the innermost slice around the point that `is` accepts.
    template <typename F>
    uint32_t innermost(F is) const
    {
        return lastStarted([&](uint32_t index) { return covers(index) && is(index); });
    }
    /// Returns the innermost slice around the point. Of the slices that start at the point, those with a duration come
    /// first: calls shorter than the clock's resolution share their start with the call that is meant.
    uint32_t innermost() const
    {
        if (m_startsHere != kNone)
            return m_startsHere;
        return m_open.empty() ? kNone : m_open.back();
    }
    bool startsHere(uint32_t index) const { return index != kNone && m_start[index] == m_time; }
    /// Returns the slice that started last of those that started before the point and end at it.
    uint32_t ending() const
    {
        return m_endsHere != kNone ? m_endsHere : lastStarted([&](uint32_t index) { return endsHere(index); });
    }
    /// Returns the first slice that starts after the point.
    uint32_t next() const { return m_next < m_start.size() ? static_cast<uint32_t>(m_next) : kNone; }

private:
    static constexpr size_t kSearched = 64;

    /// Returns the open slice that started last and that `is` accepts. Only the last ones are searched, so the work
    /// stays linear even if a million slices cover every point.
    template <typename F>
    uint32_t lastStarted(F is) const
    {
        const auto end = m_open.rbegin() + static_cast<ptrdiff_t>(std::min(m_open.size(), kSearched));
        const auto found = std::find_if(m_open.rbegin(), end, is);
        return found == end ? kNone : *found;
    }
    bool covers(uint32_t index) const
    {
        return m_start[index] == m_time || m_start[index] + m_duration[index] > m_time;
    }

    bool endsHere(uint32_t index) const
    {
        return m_start[index] < m_time && m_start[index] + m_duration[index] == m_time;
    }

    std::span<const Ns> m_start, m_duration;
    Ns m_time = 0;
    size_t m_next = 0;
    std::vector<uint32_t> m_open; ///< have started; the last one covers the point
    uint32_t m_startsHere = kNone, m_endsHere = kNone;
};

} // namespace riffle
