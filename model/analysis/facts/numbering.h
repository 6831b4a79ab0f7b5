// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// Assigns the numbers 0, 1, 2 … to distinct keys in the order in which they first occur. It is optimized for millions
/// of look-ups that mostly find an existing key: it uses open addressing and allocates nothing per key. The low bits of
/// `Hash` must be well distributed.
template <typename Key, typename Hash>
class Numbering {
public:
    /// The key's number, and true if the key is new.
    std::pair<uint32_t, bool> of(const Key &key)
    {
        if (m_keys.size() * 2 >= m_slots.size())
            grow();
        uint32_t &slot = slotOf(key);
        if (slot != kFree)
            return {slot, false};
        slot = static_cast<uint32_t>(m_keys.size());
        m_keys.push_back(key);
        return {slot, true};
    }
    const Key &key(uint32_t number) const
    {
        assert(number < m_keys.size());
        return m_keys[number];
    }
    size_t size() const { return m_keys.size(); }

private:
    static constexpr uint32_t kFree = UINT32_MAX;

    uint32_t &slotOf(const Key &key)
    {
        assert(m_keys.size() < m_slots.size() && (m_slots.size() & (m_slots.size() - 1)) == 0);
        const size_t mask = m_slots.size() - 1;
        size_t at = Hash()(key) & mask;
        while (m_slots[at] != kFree && !(m_keys[m_slots[at]] == key))
            at = (at + 1) & mask;
        return m_slots[at];
    }
    void grow()
    {
        m_slots.assign(m_slots.empty() ? 1024 : m_slots.size() * 2, kFree);
        for (uint32_t number = 0; number < m_keys.size(); ++number)
            slotOf(m_keys[number]) = number;
    }

    std::vector<Key> m_keys;
    std::vector<uint32_t> m_slots; ///< the size is a power of two
};

/// Mixes the bits of a number.
inline uint64_t mixed(uint64_t value)
{
    value *= 0x9E3779B97F4A7C15ull;
    return value ^ value >> 32;
}

} // namespace riffle
