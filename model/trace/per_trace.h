// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <vector>

namespace riffle {

/// One value for each trace of a set, found by its id. Traces that were given none have an empty one. What is kept in
/// this way stays true when members are added, removed or reordered.
template <typename T>
class PerTrace {
public:
    PerTrace() = default;
    /// The values of the traces with the ids 0, 1, and so on.
    PerTrace(std::initializer_list<T> values) : m_values(values) {}

    T &operator[](TraceId id)
    {
        assert(id.valid());
        if (id.value >= m_values.size())
            m_values.resize(size_t{id.value} + 1);
        return m_values[id.value];
    }
    const T &operator[](TraceId id) const
    {
        static const T none{};
        return id.value < m_values.size() ? m_values[id.value] : none;
    }
    /// True if no trace was given a value, not even an empty one.
    bool empty() const { return m_values.empty(); }
    void clear() { m_values.clear(); }
    void erase(TraceId id)
    {
        if (id.value < m_values.size())
            m_values[id.value] = T{};
    }
    /// The values by ascending id, with those of traces that were given none.
    auto begin() { return m_values.begin(); }
    auto end() { return m_values.end(); }
    auto begin() const { return m_values.begin(); }
    auto end() const { return m_values.end(); }
    bool operator==(const PerTrace &other) const
    {
        const size_t both = std::min(m_values.size(), other.m_values.size());
        const auto isEmpty = [](const T &value) { return value == T{}; };
        const auto from = static_cast<std::ptrdiff_t>(both);
        return std::equal(m_values.begin(), m_values.begin() + from, other.m_values.begin()) &&
               std::all_of(m_values.begin() + from, m_values.end(), isEmpty) &&
               std::all_of(other.m_values.begin() + from, other.m_values.end(), isEmpty);
    }

private:
    std::vector<T> m_values;
};

} // namespace riffle
