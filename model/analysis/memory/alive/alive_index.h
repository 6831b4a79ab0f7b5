// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Which allocations of a device are alive after an event. Allocations stand in order of their begin, so those that
/// have begun are the first ones; of these whole blocks of 256 rows are passed over whose last end has come, and the
/// others are looked at row by row. That takes 4 bytes a block (0.1 MB for 8 million allocations, a history of 16
/// million entries), any event is as near as any other, and looking at all ends of 8 million allocations, the worst
/// case, takes some 10 ms.
///
/// Events are rows of MemorySnapshot::events; MemoryAllocations::kNone stands for "before the history". An allocation
/// is alive (active) from its begin until its free_completed, both seen after the event.
class AliveIndex {
public:
    /// Both must live as long as this does.
    AliveIndex(const MemorySnapshot &snapshot, const DeviceReplay &device);

    /// Rows of DeviceReplay::allocations that are alive after the event, ascending.
    std::vector<uint32_t> at(uint32_t event) const;
    /// The same of a part of the rows, [first, last).
    void append(uint32_t event, uint32_t first, uint32_t last, std::vector<uint32_t> &rows) const;
    /// How many rows have begun by then: the alive ones are among the first so many.
    uint32_t begunBy(uint32_t event) const;
    bool isAlive(uint32_t row, uint32_t event) const;
    /// Of an allocation that is alive after the event: given back by the program, but waiting for other streams. Those
    /// that are not make up MemoryLevel::allocated, all together MemoryLevel::active.
    bool isPending(uint32_t row, uint32_t event) const;
    /// Sums over rows that are alive after the event; reserved is 0.
    MemoryLevel sum(const std::vector<uint32_t> &rows, uint32_t event) const;
    /// What the replay says of the same instant, without looking at allocations.
    MemoryLevel level(uint32_t event) const;

    const DeviceReplay &device() const { return m_device; }

private:
    static constexpr uint32_t kBlock = 256;

    const MemorySnapshot &m_snapshot;
    const DeviceReplay &m_device;
    std::vector<uint32_t> m_lastEnds; ///< by block
};

} // namespace riffle
