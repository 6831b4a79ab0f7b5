// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/schedule.h"

#include <array>
#include <cstdint>

namespace riffle::collector {

/// When a step was so slow that the flight recorder's last seconds are worth keeping.
struct SlowSteps {
    int64_t longerThanNs = 0; ///< 0: no such limit
    double timesMedian = 0;   ///< of the last steps; 0: no such limit
};

/// What follows from the steps that a program marks: which are recorded, and which were too slow. Used by one thread at
/// a time.
class StepPlan {
public:
    StepPlan() = default;
    StepPlan(const std::optional<Schedule> &schedule, const SlowSteps &slow) : m_schedule(schedule), m_slow(slow) {}

    /// What begins and ends with a step.
    struct Turn {
        uint64_t step = 0;  ///< counted from 0
        uint32_t cycle = 0; ///< that ends, from 1; one that begins has the next number
        bool cycleEnds = false, warmUpBegins = false, cycleBegins = false;
        bool isLast = false; ///< nothing will be recorded any more
        int64_t slowNs = 0;  ///< how long the step before took if that was too long
        bool isNews() const { return cycleEnds || warmUpBegins || cycleBegins || isLast; }
    };
    /// A step begins now; the one before, if any, ends.
    Turn begin(int64_t time);
    /// The step ends, and none begins: how long it took if that was too long, else 0.
    int64_t end(int64_t time);
    /// From now on somebody else decides what is recorded.
    void release() { m_schedule.reset(); }

    bool isScheduled() const { return m_schedule.has_value(); }
    uint64_t steps() const { return m_steps; } ///< that have begun
    uint64_t ended() const { return m_steps - (m_begun != 0); }
    uint32_t cycle() const { return m_cycle; }

private:
    static constexpr size_t kRemembered = 64, kEnough = 8; ///< steps that the median is of, and that it needs at least
    int64_t median() const;

    std::optional<Schedule> m_schedule;
    SlowSteps m_slow;
    Action m_action = Action::None;
    uint64_t m_steps = 0, m_timed = 0; ///< timed: in m_durations, all but the first
    uint32_t m_cycle = 0;
    int64_t m_begun = 0; ///< 0: no step is open
    std::array<int64_t, kRemembered> m_durations{};
};

} // namespace riffle::collector
