// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Which entries of a device's history are asked for.
struct MemoryEventFilter {
    std::vector<MemoryAction> actions; ///< any of these; empty: all
    std::optional<int64_t> leastBytes, mostBytes;
    std::optional<uint64_t> address;     ///< entries of allocations and segments that begin there
    std::vector<std::string> texts;      ///< each in a function, file, metadata or category, without regard to case
    std::optional<int64_t> stream;       ///< raw pointer
    std::optional<uint32_t> first, last; ///< numbers of events in the device's history, both within

    bool operator==(const MemoryEventFilter &) const = default;
};

/// Words parted by spaces, all of which must fit: "alloc", "free" (both kinds), "segment" (all kinds) or another
/// action's word;
/// ">10MB", ">=512", "<1GiB", "=1024" for sizes (K, M, G are powers of 1024); "0x7f…" for an address; "stream:0";
/// "#12-#400" for numbers of events; anything else, or what stands in quotes, for text. The Error says which word means
/// nothing.
Result<MemoryEventFilter> parseMemoryEventFilter(std::string_view text);

/// Rows of MemorySnapshot::events, ascending. Stopped in between, it gives what it has.
std::vector<uint32_t> matchingEvents(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                     const MemoryEventFilter &filter, const Task &task = {});

/// Which allocation an event belongs to, found in both directions. Made once for a device, 4 bytes an event.
class EventAllocations {
public:
    EventAllocations() = default;
    EventAllocations(const DeviceReplay &device);
    /// Row of the device's allocations; kNone: of none, as events of segments.
    uint32_t of(uint32_t event) const
    {
        return event - m_first < m_rows.size() ? m_rows[event - m_first] : MemoryAllocations::kNone;
    }

private:
    uint32_t m_first = 0;
    std::vector<uint32_t> m_rows;
};

} // namespace riffle
