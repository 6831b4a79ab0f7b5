// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

/// Where the slots of a history lie on a horizontal axis: all equally wide, or as long as they lasted. Positions are
/// whole numbers as those of a TimeScale: slots, or nanoseconds.
class SlotAxis {
public:
    SlotAxis() = default;
    /// Equally wide: slot n begins at n.
    explicit SlotAxis(uint32_t slotCount) : m_slots(slotCount) {}
    /// Slot n + 1 begins at times[n], ascending, which must outlive this; slot 0 gets a little room before. At least
    /// one.
    explicit SlotAxis(std::span<const int64_t> times);

    bool timed() const { return !m_times.empty(); }
    uint32_t slotCount() const { return m_slots; }
    /// From the begin of slot 0 to the end of the last one.
    TimeSpan whole() const { return {begin(0), begin(m_slots)}; }
    Ns begin(uint32_t slot) const; ///< of slots(): the end of the last one
    /// The last slot that begins at or before a position.
    uint32_t slotAt(Ns position) const;
    /// By pixel column: the slots that are seen in it, [first, second), at least one: those that begin in it, and,
    /// where none does, the one that lasts on.
    std::vector<std::pair<uint32_t, uint32_t>> columns(const TimeScale &scale) const;

private:
    uint32_t slotsBefore(Ns position) const; ///< how many begin before it

    uint32_t m_slots = 1;
    std::span<const int64_t> m_times;
    Ns m_room = 0; ///< before the first and behind the last time
};

} // namespace riffle
