// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <memory>

namespace riffle {

/// Finds the last event of a device at a given time. Recorded times are usually ascending, and one pass checks that
/// they are; otherwise the class keeps the events in order of time, 4 bytes per event.
class EventTimes {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    EventTimes() = default;
    /// `device` is a row of replay().devices.
    EventTimes(std::shared_ptr<const SnapshotFacts> facts, uint32_t device);

    /// The latest event that has a time and is not after `unixNs`; among events of equal time, the last one in the
    /// history. A binary search, about two dozen steps.
    uint32_t lastAt(int64_t unixNs) const;
    /// True if any event has a time.
    bool any() const { return m_ascending ? m_first != m_last : !m_order.empty(); }
    /// True if this object was built for these facts and this device.
    bool of(const std::shared_ptr<const SnapshotFacts> &facts, uint32_t device) const
    {
        return facts && facts == m_facts && device == m_device;
    }

private:
    std::shared_ptr<const SnapshotFacts> m_facts;
    uint32_t m_device = 0, m_first = 0, m_last = 0; ///< events [first, last)
    bool m_ascending = true;
    BigVector<uint32_t>
        m_order; ///< events with a time, sorted by time and row; empty if the history is already in this order
};

} // namespace riffle
