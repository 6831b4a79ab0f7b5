// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

namespace riffle {

/// The values that were used last, up to a limit. Thread-safe.
template <typename T>
class RecentlyUsed {
public:
    explicit RecentlyUsed(size_t limit) : m_limit(limit) { assert(limit > 0); }

    /// Returns a value for which wanted() holds, and makes it the newest; null if there is none.
    template <typename Wanted>
    std::shared_ptr<T> find(Wanted wanted)
    {
        std::scoped_lock lock(m_mutex);
        return findLocked(wanted);
    }

    /// Adds a value as the newest, and drops the oldest one if there are now too many. Returns the value.
    std::shared_ptr<T> add(std::shared_ptr<T> value)
    {
        std::scoped_lock lock(m_mutex);
        return addLocked(std::move(value));
    }

    /// Like find(), but adds make() if there is no such value.
    template <typename Wanted, typename Make>
    std::shared_ptr<T> findOrAdd(Wanted wanted, Make make)
    {
        std::scoped_lock lock(m_mutex);
        std::shared_ptr<T> found = findLocked(wanted);
        return found ? found : addLocked(make());
    }

private:
    template <typename Wanted>
    std::shared_ptr<T> findLocked(Wanted &wanted)
    {
        const auto found =
            std::find_if(m_values.begin(), m_values.end(), [&](const auto &value) { return wanted(*value); });
        if (found == m_values.end())
            return nullptr;
        m_values.splice(m_values.begin(), m_values, found);
        return m_values.front();
    }
    std::shared_ptr<T> addLocked(std::shared_ptr<T> value)
    {
        assert(value && m_values.size() <= m_limit);
        m_values.push_front(std::move(value));
        if (m_values.size() > m_limit)
            m_values.pop_back();
        return m_values.front();
    }

    const size_t m_limit;
    std::mutex m_mutex;
    std::list<std::shared_ptr<T>> m_values; ///< newest first
};

/// A cache of numbered values that are expensive to compute. It keeps those that were used last, and computes a value
/// only once even if several threads request it at the same time. Thread-safe.
template <typename T>
class ComputedOnce {
public:
    explicit ComputedOnce(size_t limit) : m_slots(limit) {}

    template <typename Compute>
    std::shared_ptr<const T> get(size_t number, Compute compute)
    {
        const std::shared_ptr<Slot> slot = m_slots.findOrAdd([&](const Slot &one) { return one.number == number; },
                                                             [&] { return std::make_shared<Slot>(number); });
        std::call_once(slot->once, [&] { slot->value = compute(); });
        return slot->value;
    }

private:
    struct Slot {
        explicit Slot(size_t slotNumber) : number(slotNumber) {}
        size_t number;
        std::once_flag once;
        std::shared_ptr<const T> value;
    };
    RecentlyUsed<Slot> m_slots;
};

} // namespace riffle
