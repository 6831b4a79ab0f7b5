// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/string_pool.h"

#include "model/base/seeded_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace riffle {

namespace {
constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kBlockBytes = 256 * 1024;
} // namespace

StringInterner::StringInterner() : m_slots(1024, kFree) { intern({}, 0); }

const char *StringInterner::keep(std::string_view text)
{
    if (text.empty())
        return "";
    if (text.size() > m_blockLeft) {
        const size_t size = std::max(kBlockBytes, text.size());
        m_blocks.push_back(std::make_unique<char[]>(size));
        m_blockAt = m_blocks.back().get();
        m_blockLeft = size;
        m_bytes += size;
    }
    std::memcpy(m_blockAt, text.data(), text.size());
    const char *kept = m_blockAt;
    m_blockAt += text.size();
    m_blockLeft -= text.size();
    return kept;
}

uint32_t StringInterner::intern(std::string_view text, uint64_t offset)
{
    // The file chooses the texts, so their hash must not be known.
    const uint64_t hash = XXH3_64bits_withSeed(text.data(), text.size(), hashSeed());
    size_t slot = hash & (m_slots.size() - 1);
    while (m_slots[slot] != kFree) {
        Entry &entry = m_entries[m_slots[slot]];
        if (entry.hash == hash && std::string_view(entry.data, entry.size) == text) {
            if (offset < entry.firstOffset)
                entry.firstOffset = offset;
            return m_slots[slot];
        }
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    const auto id = static_cast<uint32_t>(m_entries.size());
    assert(id != kFree && text.size() <= UINT32_MAX);
    m_entries.push_back({keep(text), static_cast<uint32_t>(text.size()), hash, offset});
    m_slots[slot] = id;
    if (m_entries.size() * 2 > m_slots.size())
        grow();
    return id;
}

void StringInterner::grow() { rebuild(m_slots.size() * 2); }

void StringInterner::truncate(uint32_t count)
{
    assert(count > 0); // the empty string stays
    if (count >= m_entries.size())
        return;
    m_entries.resize(count);
    rebuild(m_slots.size());
}

void StringInterner::rebuild(size_t slotCount)
{
    assert((slotCount & (slotCount - 1)) == 0 && slotCount > m_entries.size());
    std::vector<uint32_t> slots(slotCount, kFree);
    for (uint32_t id = 0; id < m_entries.size(); ++id) {
        size_t slot = m_entries[id].hash & (slots.size() - 1);
        while (slots[slot] != kFree)
            slot = (slot + 1) & (slots.size() - 1);
        slots[slot] = id;
    }
    m_slots.swap(slots);
}

} // namespace riffle
