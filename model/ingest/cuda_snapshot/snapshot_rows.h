// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/growing_array.h"
#include "model/base/seeded_hash.h"
#include "model/trace/memory/memory_snapshot.h"

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// A larger number is not a size of memory: addresses have at most 57 bits.
inline constexpr int64_t kMostBytes = int64_t(1) << 57;

/// Finds ids by hash: an open-addressing table of ids with their hashes.
class IdSlots {
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    explicit IdSlots(MemoryBudget *budget) : m_budget(budget), m_slots(64) {}

    /// Returns the id with this hash for which equal(id) is true; otherwise adds `fresh`, which must be the next id.
    /// The second value is true if `fresh` was added.
    template <typename Equal>
    std::pair<uint32_t, bool> findOrAdd(uint64_t hash, uint32_t fresh, Equal equal)
    {
        const auto tag = static_cast<uint32_t>(hash >> 32);
        size_t at = hash & (m_slots.size() - 1);
        for (; m_slots[at].id != kNone; at = (at + 1) & (m_slots.size() - 1))
            if (m_slots[at].tag == tag && equal(m_slots[at].id))
                return {m_slots[at].id, false};
        m_slots[at] = {fresh, tag, hash};
        if (++m_used * 2 > m_slots.size())
            grow();
        return {fresh, true};
    }

private:
    struct Slot {
        uint32_t id = kNone;
        uint32_t tag = 0;
        uint64_t hash = 0;
    };
    void grow();

    MemoryBudget *m_budget;
    std::vector<Slot> m_slots;
    size_t m_used = 0;
};

/// A column that stays empty until a row has a value.
template <typename T>
class LazyColumn {
public:
    LazyColumn(MemoryBudget *budget, T none) : m_values(budget), m_none(none) {}
    void push(size_t row, T value)
    {
        if (value == m_none && m_values.empty())
            return;
        assert(m_values.size() <= row);
        m_values.fillTo(row, m_none);
        m_values.push(value);
    }
    GrowingArray<T> &values() { return m_values; }

private:
    GrowingArray<T> m_values;
    T m_none;
};

/// The rows of a snapshot while it is being read. Complete values go into columns immediately; equal frames, stacks,
/// texts and pools are stored once, under an id.
class SnapshotRows {
public:
    struct Event {
        MemoryAction action = MemoryAction::Other;
        uint64_t address = 0;
        int64_t size = 0;
        int64_t stream = 0;
        int64_t time = MemoryEventTable::kNoTime;
        uint32_t stack = 0, forwardStack = 0;
        uint32_t pool = 0, metadata = 0, compileContext = 0, category = 0;
    };

    explicit SnapshotRows(MemoryBudget &budget);

    uint32_t text(std::string_view text)
    {
        const uint32_t id = m_strings.intern(text, 0);
        if (id >= m_stringCount)
            countStrings();
        return id;
    }
    std::string_view textOf(uint32_t id) const { return m_strings.text(id); }
    /// Many rows can share one text, and analyses read it for each of them. Longer texts are therefore cut.
    static constexpr size_t kLongestName = 4 << 10, kLongestNote = 16 << 10;
    /// Returns the id of a text, or of its first `most` bytes.
    uint32_t shortText(uint32_t id, size_t most);
    uint32_t addEvent(const Event &event);
    uint32_t addBlock(const MemoryBlock &block);
    MemoryBlock &block(uint32_t row) { return m_blocks[row]; }
    uint32_t frame(const MemoryFrame &frame);
    uint32_t stack(const uint32_t *frames, uint32_t count);
    /// Returns the frames of a stack, for copying them into a longer one.
    std::span<const uint32_t> framesOf(uint32_t stack) const;
    uint32_t pool(int64_t first, int64_t second);
    std::pair<int64_t, int64_t> poolOf(uint32_t pool) const { return m_pools[pool]; }
    uint32_t events() const { return static_cast<uint32_t>(m_action.size()); }
    uint32_t blocks() const { return static_cast<uint32_t>(m_blocks.size()); }

    /// Counts memory that is made from rows against the budget.
    void take(uint64_t bytes) { m_budget.take(bytes); }

    SnapshotOddities oddities;

    /// Moves everything into the snapshot.
    void seal(MemorySnapshot &snapshot);

private:
    uint16_t stream(int64_t raw);
    void countStrings();

    MemoryBudget &m_budget;
    uint64_t m_seed; ///< of the hashes, because the file chooses what is hashed
    StringInterner m_strings;
    uint32_t m_stringCount = 0;
    size_t m_stringBytes = 0;
    GrowingArray<MemoryAction> m_action;
    GrowingArray<uint64_t> m_address;
    GrowingArray<int64_t> m_size;
    GrowingArray<uint16_t> m_stream;
    GrowingArray<uint32_t> m_stack;
    LazyColumn<int64_t> m_time;
    LazyColumn<uint32_t> m_pool, m_metadata, m_compileContext, m_category, m_forwardStack;
    bool m_hasMore = false; ///< true once one of the columns in the previous line has a value
    GrowingArray<MemoryBlock> m_blocks;
    GrowingArray<MemoryFrame> m_frames;
    IdSlots m_frameSlots;
    GrowingArray<uint32_t> m_stackBegin;
    GrowingArray<uint32_t> m_stackFrames;
    IdSlots m_stackSlots;
    std::vector<int64_t> m_streams;
    SeededMap<int64_t, uint16_t> m_streamIds;
    int64_t m_lastStream = 0;
    uint16_t m_lastStreamId = 0;
    std::vector<std::pair<int64_t, int64_t>> m_pools;
    IdSlots m_poolSlots;
    uint32_t m_lastPool = 0;
};

} // namespace riffle
