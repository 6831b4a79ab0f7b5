// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/level_graph.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr LevelGraph::Extent kNothing{{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}, 0};

void include(LevelGraph::Extent &into, const LevelGraph::Extent &part)
{
    if (part.high[1] > into.high[1])
        into.highest = part.highest;
    for (size_t at = 0; at < LevelGraph::kLevels; ++at) {
        into.low[at] = std::min(into.low[at], part.low[at]);
        into.high[at] = std::max(into.high[at], part.high[at]);
    }
}

} // namespace

LevelGraph::LevelGraph(uint32_t slotCount, Reader reader, const Task &task)
    : m_slots(slotCount)
    , m_reader(std::move(reader))
    , m_whole(kNothing)
{
    Levels before{};
    std::array<Levels, kBlock> levels;
    for (uint32_t first = 0; first < slotCount && !task.stopped(); first += std::min(kBlock, slotCount - first)) {
        const uint32_t count = std::min(kBlock, slotCount - first);
        m_reader(first, before, std::span(levels).first(count));
        m_before.push_back(before);
        Extent extent = kNothing;
        for (uint32_t at = 0; at < count; ++at)
            include(extent, {levels[at], levels[at], first + at});
        before = levels[count - 1];
        if (m_blocks.size() % kGroup == 0)
            m_groups.push_back(kNothing);
        m_blocks.push_back(extent);
        include(m_groups.back(), extent);
        include(m_whole, extent);
    }
}

void LevelGraph::addPart(uint32_t first, uint32_t last, Extent &extent) const
{
    const uint32_t block = first / kBlock;
    std::array<Levels, kBlock> levels;
    m_reader(block * kBlock, m_before[block], std::span(levels).first(last - block * kBlock));
    for (uint32_t slot = first; slot < last; ++slot)
        include(extent, {levels[slot % kBlock], levels[slot % kBlock], slot});
}

LevelGraph::Extent LevelGraph::over(uint32_t first, uint32_t last) const
{
    assert(first < last && last <= m_slots);
    Extent extent = kNothing;
    while (first < last) {
        if (first % (kBlock * kGroup) == 0 && last - first >= kBlock * kGroup) {
            include(extent, m_groups[first / (kBlock * kGroup)]);
            first += kBlock * kGroup;
        } else if (first % kBlock == 0 && last - first >= kBlock) {
            include(extent, m_blocks[first / kBlock]);
            first += kBlock;
        } else {
            const uint32_t end = std::min(last, (first / kBlock + 1) * kBlock);
            addPart(first, end, extent);
            first = end;
        }
    }
    return extent;
}

LevelGraph::Levels LevelGraph::at(uint32_t slot) const { return over(slot, slot + 1).high; }

} // namespace riffle
