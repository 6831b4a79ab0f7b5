// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/big_vector.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The number of bytes in "10MB", "1.5GiB" or "512"; K, M, G and T are powers of 1024.
std::optional<int64_t> parseMemorySize(std::string_view text);

/// A filter for the entries of a device's history.
struct MemoryEventFilter {
    std::vector<MemoryAction> actions; ///< any of these; all if empty
    std::optional<int64_t> leastBytes, mostBytes;
    std::optional<uint64_t> address;     ///< entries of allocations and segments that start there
    std::vector<std::string> texts;      ///< each occurs in a function, file, metadata, category or compile
                                         ///< context, ignoring case
    std::optional<int64_t> stream;       ///< raw pointer, as in MemorySnapshot::streams
    std::optional<uint32_t> first, last; ///< numbers of events in the device's history, both included

    bool operator==(const MemoryEventFilter &) const = default;
};

/// Reads words separated by spaces, all of which must match an event: "alloc", "free" (both kinds), "segment" (all
/// kinds) or the word of another action; ">10MB", ">=512", "<1GiB", "=1024" for sizes (K, M, G are powers of 1024);
/// "0x7f…" for an address; "stream:0"; "#12-#400" for numbers of events; any other word, and anything in quotes, for
/// text. The Error names the word that is invalid.
Result<MemoryEventFilter> parseMemoryEventFilter(std::string_view text);

/// The matching rows of MemorySnapshot::events, ascending; incomplete if the task is stopped.
BigVector<uint32_t> matchingEvents(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                   const MemoryEventFilter &filter, const Task &task = {});

/// Maps each event of a device to its allocation. Takes 4 bytes per event.
class EventAllocations {
public:
    EventAllocations() = default;
    EventAllocations(const DeviceReplay &device);
    /// A row of the device's allocations; kNone if the event belongs to no allocation, as with segment events.
    uint32_t of(uint32_t event) const
    {
        return event - m_first < m_rows.size() ? m_rows[event - m_first] : MemoryAllocations::kNone;
    }

private:
    uint32_t m_first = 0;
    BigVector<uint32_t> m_rows;
};

} // namespace riffle
