// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::bench {

/// Gives every distinct text a number. Uses open addressing; it compares hashes first, and texts if the hashes are
/// equal.
class Interner {
public:
    std::uint32_t number(std::string_view text)
    {
        const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
        for (std::size_t i = hash & m_mask;; i = (i + 1) & m_mask) {
            const Slot &slot = m_slots[i];
            if (slot.number == kFree)
                return add(text, hash, i);
            if (slot.hash == hash && m_texts[slot.number] == text)
                return slot.number;
        }
    }
    std::size_t size() const { return m_texts.size(); }

private:
    static constexpr std::uint32_t kFree = UINT32_MAX;
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = kFree;
    };

    std::uint32_t add(std::string_view text, std::uint64_t hash, std::size_t place)
    {
        const auto number = static_cast<std::uint32_t>(m_texts.size());
        m_texts.emplace_back(text);
        m_slots[place] = {hash, number};
        if (m_texts.size() * 2 > m_slots.size()) {
            std::vector<Slot> slots(m_slots.size() * 2);
            m_mask = slots.size() - 1;
            for (const Slot &slot : m_slots) {
                if (slot.number == kFree)
                    continue;
                std::size_t i = slot.hash & m_mask;
                while (slots[i].number != kFree)
                    i = (i + 1) & m_mask;
                slots[i] = slot;
            }
            m_slots = std::move(slots);
        }
        return number;
    }

    std::vector<Slot> m_slots = std::vector<Slot>(4096);
    std::size_t m_mask = 4095;
    std::deque<std::string> m_texts;
};

} // namespace riffle::bench
