// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/event_times.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace riffle {

EventTimes::EventTimes(std::shared_ptr<const SnapshotFacts> facts, uint32_t device)
    : m_facts(std::move(facts))
    , m_device(device)
{
    const auto &devices = m_facts->replay().devices;
    const auto &times = m_facts->snapshot().events.time;
    if (device >= devices.size() || times.empty())
        return;
    m_first = devices[device].firstEvent;
    m_last = m_first + devices[device].events;
    const auto own = times.span().subspan(m_first, m_last - m_first);
    m_ascending = std::ranges::is_sorted(own) && (own.empty() || own.front() != MemoryEventTable::kNoTime);
    if (m_ascending)
        return;
    for (uint32_t event = m_first; event < m_last; ++event)
        if (times[event] != MemoryEventTable::kNoTime)
            m_order.push_back(event);
    m_order.shrink_to_fit();
    std::ranges::sort(m_order,
                      [&times](uint32_t a, uint32_t b) { return std::pair(times[a], a) < std::pair(times[b], b); });
}

uint32_t EventTimes::lastAt(int64_t unixNs) const
{
    if (m_first == m_last)
        return kNone;
    const auto &times = m_facts->snapshot().events.time;
    if (m_ascending) {
        const auto own = times.span().subspan(m_first, m_last - m_first);
        const auto later = std::ranges::upper_bound(own, unixNs);
        return later == own.begin() ? kNone : m_first + static_cast<uint32_t>(later - own.begin()) - 1;
    }
    const auto later = std::ranges::upper_bound(m_order, unixNs, {}, [&times](uint32_t event) { return times[event]; });
    return later == m_order.begin() ? kNone : *std::prev(later);
}

} // namespace riffle
