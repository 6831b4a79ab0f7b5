// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace riffle {

/// Which event of a device was the last one at a time. Recorders mostly write times that ascend; then this costs
/// nothing but one look at all of them, else an order of the events: 4 bytes each.
class EventTimes {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    EventTimes() = default;
    /// `device`: row of replay().devices.
    EventTimes(std::shared_ptr<const SnapshotFacts> facts, uint32_t device);

    /// Of the events that have a time and are not later, the latest one; of equal ones the last in the history. Two
    /// dozen steps.
    uint32_t lastAt(int64_t unixNs) const;
    /// Whether there is any event that knows its time.
    bool any() const { return m_ascending ? m_first != m_last : !m_order.empty(); }
    bool of(const std::shared_ptr<const SnapshotFacts> &facts, uint32_t device) const
    {
        return facts && facts == m_facts && device == m_device;
    }

private:
    std::shared_ptr<const SnapshotFacts> m_facts;
    uint32_t m_device = 0, m_first = 0, m_last = 0; ///< events [first, last)
    bool m_ascending = true;
    std::vector<uint32_t>
        m_order; ///< events with a time by time, then by row; empty where the history is in that order
};

} // namespace riffle
