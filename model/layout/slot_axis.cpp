// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/slot_axis.h"

#include <algorithm>
#include <cassert>

namespace riffle {

SlotAxis::SlotAxis(std::span<const int64_t> times) : m_slots(static_cast<uint32_t>(times.size()) + 1), m_times(times)
{
    assert(!times.empty() && std::ranges::is_sorted(times));
    m_room = std::max<Ns>((times.back() - times.front()) / 100, kNarrowestRange);
}

Ns SlotAxis::begin(uint32_t slot) const
{
    assert(slot <= m_slots);
    if (!timed())
        return slot;
    if (slot == 0)
        return m_times.front() - m_room;
    return slot < m_slots ? m_times[slot - 1] : m_times.back() + m_room;
}

uint32_t SlotAxis::slotAt(Ns position) const
{
    if (!timed())
        return static_cast<uint32_t>(std::clamp<Ns>(position, 0, m_slots - 1));
    return static_cast<uint32_t>(std::upper_bound(m_times.begin(), m_times.end(), position) - m_times.begin());
}

uint32_t SlotAxis::slotsBefore(Ns position) const
{
    if (!timed())
        return static_cast<uint32_t>(std::clamp<Ns>(position, 0, m_slots));
    if (position <= begin(0))
        return 0;
    return static_cast<uint32_t>(std::lower_bound(m_times.begin(), m_times.end(), position) - m_times.begin()) + 1;
}

std::vector<std::pair<uint32_t, uint32_t>> SlotAxis::columns(const TimeScale &scale) const
{
    std::vector<std::pair<uint32_t, uint32_t>> columns(static_cast<size_t>(scale.width()));
    uint32_t next = slotsBefore(scale.columnBegin(0));
    for (int column = 0; column < scale.width(); ++column) {
        const uint32_t first = next;
        next = std::max(first, slotsBefore(scale.columnBegin(column + 1)));
        const uint32_t lasting = first > 0 ? first - 1 : 0;
        columns[static_cast<size_t>(column)] = first < next ? std::pair(first, next) : std::pair(lasting, lasting + 1);
    }
    return columns;
}

} // namespace riffle
