// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/snapshot_rows.h"

#include "model/base/utf8.h"
#include "model/ingest/cuda_snapshot/snapshot_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr uint16_t kMostStreams = UINT16_MAX;

template <typename T>
Column<T> column(GrowingArray<T> &values)
{
    const size_t size = values.size();
    std::shared_ptr<T[]> block = values.take();
    const T *data = block.get();
    return Column<T>(std::move(block), data, size);
}

} // namespace

void IdSlots::grow()
{
    if (m_budget)
        m_budget->take(m_slots.size() * sizeof(Slot));
    std::vector<Slot> slots(m_slots.size() * 2);
    for (const Slot &slot : m_slots) {
        if (slot.id == kNone)
            continue;
        size_t at = slot.hash & (slots.size() - 1);
        while (slots[at].id != kNone)
            at = (at + 1) & (slots.size() - 1);
        slots[at] = slot;
    }
    m_slots.swap(slots);
}

SnapshotRows::SnapshotRows(MemoryBudget &budget)
    : m_budget(budget)
    , m_seed(hashSeed())
    , m_action(&budget)
    , m_address(&budget)
    , m_size(&budget)
    , m_stream(&budget)
    , m_stack(&budget)
    , m_time(&budget, MemoryEventTable::kNoTime)
    , m_pool(&budget, 0)
    , m_metadata(&budget, 0)
    , m_compileContext(&budget, 0)
    , m_category(&budget, 0)
    , m_forwardStack(&budget, 0)
    , m_blocks(&budget)
    , m_frames(&budget)
    , m_frameSlots(&budget)
    , m_stackBegin(&budget)
    , m_stackFrames(&budget)
    , m_stackSlots(&budget)
    , m_streams{0}
    , m_streamIds{{0, 0}}
    , m_poolSlots(&budget)
{
    for (const std::string_view word : kSnapshotWords)
        text(word);
    m_stackBegin.push(0);
    stack(nullptr, 0);
    pool(0, 0);
}

uint32_t SnapshotRows::shortText(uint32_t id, size_t most)
{
    const std::string_view whole = textOf(id);
    return whole.size() <= most ? id : text(shortened(whole, most));
}

/// Counts new texts against the budget: their bytes, and what the interner stores besides each of them.
void SnapshotRows::countStrings()
{
    constexpr uint64_t kBeside = 48;
    m_budget.take((m_strings.count() - m_stringCount) * kBeside + m_strings.memoryBytes() - m_stringBytes);
    m_stringCount = m_strings.count();
    m_stringBytes = m_strings.memoryBytes();
}

uint16_t SnapshotRows::stream(int64_t raw)
{
    if (raw == m_lastStream)
        return m_lastStreamId;
    const auto found = m_streamIds.find(raw);
    m_lastStream = raw;
    if (found != m_streamIds.end())
        return m_lastStreamId = found->second;
    if (m_streams.size() == kMostStreams) {
        ++oddities.crowdedStreams;
        m_lastStream = 0;
        m_lastStreamId = 0;
        return kMostStreams - 1;
    }
    m_lastStreamId = static_cast<uint16_t>(m_streams.size());
    m_streamIds.emplace(raw, m_lastStreamId);
    m_streams.push_back(raw);
    return m_lastStreamId;
}

uint32_t SnapshotRows::pool(int64_t first, int64_t second)
{
    if (!m_pools.empty() && m_pools[m_lastPool] == std::pair(first, second))
        return m_lastPool;
    const int64_t both[] = {first, second};
    const auto [id, isNew] =
        m_poolSlots.findOrAdd(XXH3_64bits_withSeed(both, sizeof both, m_seed), static_cast<uint32_t>(m_pools.size()),
                              [&](uint32_t other) { return m_pools[other] == std::pair(first, second); });
    if (isNew) {
        m_budget.take(sizeof both);
        m_pools.emplace_back(first, second);
    }
    return m_lastPool = id;
}

uint32_t SnapshotRows::addEvent(const Event &event)
{
    const uint32_t row = events();
    m_action.push(event.action);
    m_address.push(event.address);
    m_size.push(event.size);
    m_stream.push(stream(event.stream));
    m_stack.push(event.stack);
    m_time.push(row, event.time);
    if (m_hasMore || (event.pool | event.metadata | event.compileContext | event.category | event.forwardStack)) {
        m_hasMore = true;
        m_pool.push(row, event.pool);
        m_metadata.push(row, event.metadata);
        m_compileContext.push(row, event.compileContext);
        m_category.push(row, event.category);
        m_forwardStack.push(row, event.forwardStack);
    }
    return row;
}

uint32_t SnapshotRows::addBlock(const MemoryBlock &block)
{
    m_blocks.push(block);
    return blocks() - 1;
}

uint32_t SnapshotRows::frame(const MemoryFrame &frame)
{
    static_assert(std::has_unique_object_representations_v<MemoryFrame>);
    const auto [id, isNew] = m_frameSlots.findOrAdd(XXH3_64bits_withSeed(&frame, sizeof frame, m_seed),
                                                    static_cast<uint32_t>(m_frames.size()),
                                                    [&](uint32_t other) { return m_frames[other] == frame; });
    if (isNew)
        m_frames.push(frame);
    return id;
}

std::span<const uint32_t> SnapshotRows::framesOf(uint32_t stack) const
{
    return m_stackFrames.span(m_stackBegin[stack], m_stackBegin[stack + 1] - m_stackBegin[stack]);
}

uint32_t SnapshotRows::stack(const uint32_t *frames, uint32_t count)
{
    const auto fresh = static_cast<uint32_t>(m_stackBegin.size() - 1);
    const auto [id, isNew] = m_stackSlots.findOrAdd(
        XXH3_64bits_withSeed(frames, count * sizeof(uint32_t), m_seed), fresh, [&](uint32_t other) {
            const auto others = framesOf(other);
            return others.size() == count && std::equal(others.begin(), others.end(), frames);
        });
    if (isNew) {
        // Positions have 32 bits; frames beyond that exceed the budget. No real file has as many, because each frame of
        // a stack takes at least two bytes in it.
        m_budget.take(m_stackFrames.size() + count > UINT32_MAX ? UINT64_MAX : 0);
        std::copy_n(frames, count, m_stackFrames.extend(count));
        m_stackBegin.push(static_cast<uint32_t>(m_stackFrames.size()));
    }
    return id;
}

void SnapshotRows::seal(MemorySnapshot &snapshot)
{
    MemoryEventTable &events = snapshot.events;
    const size_t rows = m_action.size();
    assert(m_address.size() == rows && m_size.size() == rows && m_stream.size() == rows && m_stack.size() == rows);
    assert(m_time.values().size() <= rows && m_pool.values().size() <= rows && m_metadata.values().size() <= rows);
    assert(m_compileContext.values().size() <= rows && m_category.values().size() <= rows);
    assert(m_forwardStack.values().size() <= rows && !m_stackBegin.empty());
    assert(m_stackBegin[m_stackBegin.size() - 1] == m_stackFrames.size());
    // A lazy column is either empty or has one cell per row, so fill it up: the last rows may have had no value.
    const auto lazy = [&]<typename T>(LazyColumn<T> &from, T none) {
        if (!from.values().empty())
            from.values().fillTo(rows, none);
        return column(from.values());
    };
    events.action = column(m_action);
    events.address = column(m_address);
    events.size = column(m_size);
    events.stream = column(m_stream);
    events.stack = column(m_stack);
    events.time = lazy(m_time, MemoryEventTable::kNoTime);
    events.pool = lazy(m_pool, uint32_t(0));
    events.metadata = lazy(m_metadata, uint32_t(0));
    events.compileContext = lazy(m_compileContext, uint32_t(0));
    events.category = lazy(m_category, uint32_t(0));
    events.forwardStack = lazy(m_forwardStack, uint32_t(0));
    snapshot.blocks = column(m_blocks);
    snapshot.frames = column(m_frames);
    snapshot.stacks.begin = column(m_stackBegin);
    snapshot.stacks.frames = column(m_stackFrames);
    snapshot.streams = std::move(m_streams);
    snapshot.pools = std::move(m_pools);
    snapshot.oddities = std::move(oddities);

    GrowingArray<char> bytes(&m_budget);
    GrowingArray<uint64_t> begins(&m_budget);
    for (uint32_t id = 0; id < m_strings.count(); ++id) {
        begins.push(bytes.size());
        const std::string_view text = m_strings.text(id);
        std::copy(text.begin(), text.end(), bytes.extend(text.size()));
    }
    begins.push(bytes.size());
    snapshot.strings.bytes = column(bytes);
    snapshot.strings.begins = column(begins);
}

} // namespace riffle
