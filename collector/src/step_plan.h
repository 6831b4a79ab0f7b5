// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/schedule.h"

#include <array>
#include <cstdint>

namespace riffle::collector {

/// The limits above which a step is slow enough to dump the flight recorder's last seconds.
struct SlowSteps {
    int64_t longerThanNs = 0; ///< 0: no absolute limit
    double timesMedian = 0;   ///< factor for the median of the last steps; 0: no relative limit
};

/// Determines from the steps that a program marks which of them are recorded and which were too slow. Used by one
/// thread at a time.
class StepPlan {
public:
    StepPlan() = default;
    StepPlan(const std::optional<Schedule> &schedule, const SlowSteps &slow) : m_schedule(schedule), m_slow(slow) {}

    /// The changes at the start of a step.
    struct Turn {
        uint64_t step = 0;  ///< counted from 0
        uint32_t cycle = 0; ///< number of the cycle that ends, from 1; a cycle that starts has the next number
        bool cycleEnds = false, warmUpBegins = false, cycleBegins = false;
        bool isLast = false; ///< nothing will be recorded any more
        int64_t slowNs = 0;  ///< duration of the previous step if it was too slow; otherwise 0
        bool isNews() const { return cycleEnds || warmUpBegins || cycleBegins || isLast; }
    };
    /// Starts a step and ends the open one, if any.
    Turn begin(int64_t time);
    /// Ends the open step. Returns its duration if it was too slow, otherwise 0.
    int64_t end(int64_t time);
    /// Drops the schedule: from now on pause and resume decide what is recorded.
    void release() { m_schedule.reset(); }
    /// Replaces the schedule; its steps are counted from the next one.
    void follow(const std::optional<Schedule> &schedule)
    {
        m_schedule = schedule;
        m_first = m_steps;
        m_action = Action::None;
    }

    const std::optional<Schedule> &schedule() const { return m_schedule; }
    bool isScheduled() const { return m_schedule.has_value(); }
    bool isWarmingUp() const { return m_schedule && m_action == Action::WarmUp; }
    uint64_t steps() const { return m_steps; } ///< number of steps that have started
    uint64_t ended() const { return m_steps - (m_begun != 0); }
    uint32_t cycle() const { return m_cycle; }
    /// Median duration of the last steps; 0 if none was measured.
    int64_t medianNs() const { return m_timed ? median() : 0; }

private:
    static constexpr size_t kRemembered = 64; ///< the number of latest steps whose median is used
    static constexpr size_t kEnough = 8;      ///< the fewest steps from which a median is computed
    int64_t median() const;

    std::optional<Schedule> m_schedule;
    SlowSteps m_slow;
    Action m_action = Action::None;
    uint64_t m_steps = 0, m_timed = 0; ///< m_timed: steps whose duration was measured, which excludes the first
    uint64_t m_first = 0;              ///< the schedule's step 0
    uint32_t m_cycle = 0;
    int64_t m_begun = 0; ///< start time of the open step; 0 if none is open
    std::array<int64_t, kRemembered> m_durations{};
};

} // namespace riffle::collector
