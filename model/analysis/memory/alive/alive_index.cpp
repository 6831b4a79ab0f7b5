// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/alive_index.h"

#include "model/base/ids.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace riffle {

AliveIndex::AliveIndex(const MemorySnapshot &snapshot, const DeviceReplay &device)
    : m_snapshot(snapshot)
    , m_device(device)
{
    const std::span<const uint32_t> ends = device.allocations.end;
    assert(ends.size() == device.allocations.begin.size());
    m_lastEnds.reserve((ends.size() + kBlock - 1) / kBlock);
    for (size_t first = 0; first < ends.size(); first += kBlock) {
        throwIfStoppedAt(first / kBlock);
        m_lastEnds.push_back(
            *std::max_element(ends.begin() + static_cast<ptrdiff_t>(first),
                              ends.begin() + static_cast<ptrdiff_t>(std::min(ends.size(), first + kBlock))));
    }
}

uint32_t AliveIndex::begunBy(uint32_t event) const
{
    const std::span<const uint32_t> begins = m_device.allocations.begin;
    const auto end = std::partition_point(begins.begin(), begins.end(), [&](uint32_t begin) {
        return begin == kNoRow || (event != kNoRow && begin <= event);
    });
    return static_cast<uint32_t>(end - begins.begin());
}

void AliveIndex::append(uint32_t event, uint32_t first, uint32_t last, std::vector<uint32_t> &rows) const
{
    const std::span<const uint32_t> ends = m_device.allocations.end;
    assert(first <= last && last <= m_device.allocations.count());
    last = std::min(last, begunBy(event));
    for (uint32_t begin = first; begin < last;) {
        const uint32_t end = std::min(last, (begin / kBlock + 1) * kBlock);
        // kNoRow is greater than every event. Before the first event, all of these rows are alive, no matter when they
        // end.
        if (event == kNoRow || m_lastEnds[begin / kBlock] > event) {
            const size_t known = rows.size();
            rows.resize(known + (end - begin));
            uint32_t *out = rows.data() + known;
            for (uint32_t row = begin; row < end; ++row) {
                *out = row;
                out += event == kNoRow || ends[row] > event;
            }
            rows.resize(static_cast<size_t>(out - rows.data()));
        }
        begin = end;
    }
}

std::vector<uint32_t> AliveIndex::at(uint32_t event) const
{
    std::vector<uint32_t> rows;
    append(event, 0, m_device.allocations.count(), rows);
    return rows;
}

bool AliveIndex::isAlive(uint32_t row, uint32_t event) const
{
    const MemoryAllocations &all = m_device.allocations;
    assert(row < all.count());
    if (event == kNoRow)
        return all.begin[row] == kNoRow;
    return (all.begin[row] == kNoRow || all.begin[row] <= event) && all.end[row] > event;
}

bool AliveIndex::isPending(uint32_t row, uint32_t event) const
{
    const MemoryAllocations &all = m_device.allocations;
    assert(row < all.count());
    if (all.freed[row] != kNoRow)
        return event != kNoRow && all.freed[row] <= event;
    // Without its free_requested, an allocation that ends with a free_completed was pending all along. (If the history
    // records no requests at all, `freed` is the free_completed.)
    if (all.end[row] != kNoRow)
        return m_snapshot.events.action[all.end[row]] == MemoryAction::FreeCompleted;
    return all.block[row] != kNoRow && m_snapshot.blocks[all.block[row]].state == BlockState::PendingFree;
}

MemoryLevel AliveIndex::sum(std::span<const uint32_t> rows, uint32_t event) const
{
    uint64_t active = 0, allocated = 0; // damaged files can contain any size, so sums wrap, as in the replay
    for (const uint32_t row : rows) {
        const auto size = static_cast<uint64_t>(m_device.allocations.size(m_snapshot, row));
        active += size;
        allocated += isPending(row, event) ? 0 : size;
    }
    return {static_cast<int64_t>(allocated), static_cast<int64_t>(active), 0};
}

MemoryLevel AliveIndex::level(uint32_t event) const
{
    if (event == kNoRow || event < m_device.firstEvent || m_device.events == 0)
        return m_device.atBegin;
    return m_device.levelAfter(m_snapshot, std::min(event, m_device.firstEvent + m_device.events - 1));
}

} // namespace riffle
