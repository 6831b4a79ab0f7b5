// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/part_tables.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

namespace riffle {

/// What was used last of something that is expensive to make, by number; made once, however many threads ask for it.
template <typename T>
class RecentlyUsed {
public:
    explicit RecentlyUsed(size_t limit) : m_limit(limit) {}

    template <typename Make>
    std::shared_ptr<const T> get(size_t number, Make make)
    {
        const std::shared_ptr<Slot> slot = slotOf(number);
        std::call_once(slot->once, [&] { slot->value = make(); });
        return slot->value;
    }

private:
    struct Slot {
        size_t number = 0;
        std::once_flag once;
        std::shared_ptr<const T> value;
    };
    std::shared_ptr<Slot> slotOf(size_t number)
    {
        std::scoped_lock lock(m_mutex);
        const auto found =
            std::find_if(m_slots.begin(), m_slots.end(), [&](const auto &slot) { return slot->number == number; });
        if (found != m_slots.end()) {
            m_slots.splice(m_slots.begin(), m_slots, found);
            return m_slots.front();
        }
        m_slots.push_front(std::make_shared<Slot>());
        m_slots.front()->number = number;
        if (m_slots.size() > m_limit)
            m_slots.pop_back();
        return m_slots.front();
    }

    const size_t m_limit;
    std::mutex m_mutex;
    std::list<std::shared_ptr<Slot>> m_slots; ///< newest first
};

/// The tables of the parts that are being read.
class TablesCache {
public:
    TablesCache(const CollectorLog &log, size_t limit) : m_log(log), m_recent(limit) {}
    std::shared_ptr<const PartTables> of(size_t part)
    {
        return m_recent.get(part, [&] { return std::make_shared<const PartTables>(m_log, part); });
    }

private:
    const CollectorLog &m_log;
    RecentlyUsed<PartTables> m_recent;
};

} // namespace riffle
