// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

/// The places of a history's slots on a horizontal axis. Either all slots are equally wide, or their widths are
/// proportional to their durations. Positions are whole numbers, as on a TimeScale: slots or nanoseconds, respectively.
class SlotAxis {
public:
    SlotAxis() = default;
    /// Slots of equal width: slot n starts at n.
    explicit SlotAxis(uint32_t slotCount) : m_slots(slotCount) {}
    /// Slots with widths proportional to their durations: slot n + 1 starts at times[n], and slot 0 gets a little room
    /// before times[0]. `times` must be ascending and not empty, and must outlive this object.
    explicit SlotAxis(std::span<const int64_t> times);

    bool timed() const { return !m_times.empty(); }
    uint32_t slotCount() const { return m_slots; }
    /// Returns the span from the start of slot 0 to the end of the last slot.
    TimeSpan whole() const { return {begin(0), begin(m_slots)}; }
    /// Returns the start of a slot; for slotCount(), the end of the last one.
    Ns begin(uint32_t slot) const;
    /// Returns the last slot that starts at or before a position.
    uint32_t slotAt(Ns position) const;
    /// Returns, for every pixel column, the slots [first, second) that are visible in it, at least one: those that
    /// start in it or, if none does, the one that continues into it.
    std::vector<std::pair<uint32_t, uint32_t>> columns(const TimeScale &scale) const;

private:
    uint32_t slotsBefore(Ns position) const; ///< number of slots that start before it

    uint32_t m_slots = 1;
    std::span<const int64_t> m_times;
    Ns m_room = 0; ///< room before the first time and after the last one
};

} // namespace riffle
