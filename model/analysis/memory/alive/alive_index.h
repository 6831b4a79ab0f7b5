// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Finds the allocations of a device that are alive after an event. Allocations are sorted by start, so those that have
/// started come first. Among these, a block of 256 rows is skipped if all its allocations have ended; the rows of the
/// other blocks are tested one by one. The index takes 4 bytes per block (0.1 MB for 8 million allocations, a history
/// of 16 million entries). A query takes about the same time for every event. In the worst case, it takes about 10 ms
/// to test the ends of all 8 million allocations.
///
/// Events are rows of MemorySnapshot::events; MemoryAllocations::kNone means "before the history". An allocation is
/// alive (active) after its alloc event and until its free_completed event has happened.
class AliveIndex {
public:
    /// Both must outlive the index.
    AliveIndex(const MemorySnapshot &snapshot, const DeviceReplay &device);

    /// The rows of DeviceReplay::allocations that are alive after the event, ascending.
    std::vector<uint32_t> at(uint32_t event) const;
    /// Appends the rows in [first, last) that are alive after the event.
    void append(uint32_t event, uint32_t first, uint32_t last, std::vector<uint32_t> &rows) const;
    /// The number of allocations that have started by the event. Only rows below this number can be alive.
    uint32_t begunBy(uint32_t event) const;
    bool isAlive(uint32_t row, uint32_t event) const;
    /// True if an allocation that is alive after the event has been freed by the program but still waits for other
    /// streams. All alive allocations make up MemoryLevel::active; those that are not pending make up
    /// MemoryLevel::allocated.
    bool isPending(uint32_t row, uint32_t event) const;
    /// The sums over `rows`, which must be alive after the event; `reserved` is 0.
    MemoryLevel sum(std::span<const uint32_t> rows, uint32_t event) const;
    /// The level after the event according to the replay, computed without looking at allocations.
    MemoryLevel level(uint32_t event) const;

    const DeviceReplay &device() const { return m_device; }

private:
    static constexpr uint32_t kBlock = 256;

    const MemorySnapshot &m_snapshot;
    const DeviceReplay &m_device;
    std::vector<uint32_t> m_lastEnds; ///< per block, the latest end
};

} // namespace riffle
