// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/row_order.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace riffle {

bool SortedPlaces::before(const Entry &left, const Entry &right) const
{
    if (left.key != right.key)
        return (left.key < right.key) != m_descending;
    return left.place < right.place;
}

std::optional<uint64_t> SortedPlaces::next()
{
    if (m_next == m_entries.size())
        return std::nullopt;
    if (m_next == m_sorted) {
        const auto less = [this](const Entry &left, const Entry &right) { return before(left, right); };
        const auto begin = m_entries.begin() + static_cast<ptrdiff_t>(m_sorted);
        m_sorted = std::min(m_entries.size(), m_sorted + m_piece);
        const auto end = m_entries.begin() + static_cast<ptrdiff_t>(m_sorted);
        if (end != m_entries.end())
            std::nth_element(begin, end, m_entries.end(), less);
        std::sort(begin, end, less);
        m_piece *= 4; // a pass over the rest for each piece, so few pieces
    }
    return m_entries[m_next++].place;
}

uint32_t GroupedPlaces::Numbering::of(int64_t key)
{
    constexpr int64_t kSmall = 1 << 22; // most keys are ranks of texts
    if (key < 0 || key >= kSmall) {
        const auto [known, isNew] = m_others.try_emplace(key, m_count);
        m_count += isNew;
        return known->second;
    }
    const auto at = static_cast<size_t>(key);
    if (at >= m_small.size())
        m_small.resize(std::max(at + 1, 2 * m_small.size()), 0);
    if (m_small[at] == 0)
        m_small[at] = ++m_count;
    return m_small[at] - 1;
}

GroupedPlaces::GroupedPlaces(std::vector<bool> descending)
    : m_descending(std::move(descending))
    , m_keys(m_descending.size())
    , m_pairs(m_descending.size() - 1)
{
    assert(!m_descending.empty());
}

uint32_t GroupedPlaces::groupOf(std::span<const int64_t> keys)
{
    assert(keys.size() == m_keys.size());
    uint32_t group = m_keys[0].of(keys[0]);
    for (size_t at = 1; at < keys.size(); ++at)
        group = m_pairs[at - 1].of(static_cast<int64_t>(uint64_t(group) << 32 | m_keys[at].of(keys[at])));
    return group;
}

void GroupedPlaces::add(std::span<const int64_t> keys)
{
    const uint32_t group = groupOf(keys);
    if (group == m_begins.size()) {
        m_begins.push_back(0);
        m_groupKeys.insert(m_groupKeys.end(), keys.begin(), keys.end());
    }
    ++m_begins[group];
    m_groups.push_back(group);
}

void GroupedPlaces::close()
{
    const size_t width = m_keys.size();
    std::vector<uint32_t> order(m_begins.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
        for (size_t at = 0; at < width; ++at)
            if (const int64_t a = m_groupKeys[left * width + at], b = m_groupKeys[right * width + at]; a != b)
                return (a < b) != m_descending[at];
        return false;
    });
    uint64_t begin = 0;
    for (const uint32_t group : order)
        begin += std::exchange(m_begins[group], begin);
    m_places.resize(m_groups.size());
}

void GroupedPlaces::place(uint64_t place)
{
    assert(m_placed < m_groups.size());
    m_places[m_begins[m_groups[m_placed++]]++] = place;
}

std::optional<uint64_t> GroupedPlaces::next()
{
    assert(m_placed == m_groups.size());
    return m_next < m_places.size() ? std::optional(m_places[m_next++]) : std::nullopt;
}

} // namespace riffle
