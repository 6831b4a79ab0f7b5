// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/step_plan.h"

#include <algorithm>

namespace riffle::collector {

int64_t StepPlan::median() const
{
    auto durations = m_durations;
    const size_t count = std::min<size_t>(m_timed, kRemembered);
    const auto middle = durations.begin() + static_cast<ptrdiff_t>(count / 2);
    std::nth_element(durations.begin(), middle, durations.begin() + static_cast<ptrdiff_t>(count));
    return *middle;
}

int64_t StepPlan::end(int64_t time)
{
    if (m_begun == 0)
        return 0;
    const int64_t duration = time - m_begun;
    m_begun = 0;
    if (m_steps == 1) // the first step is always slow because it sets up memory, kernels and caches
        return 0;
    const bool slow = (m_slow.longerThanNs > 0 && duration > m_slow.longerThanNs) ||
                      (m_slow.timesMedian > 0 && m_timed >= kEnough &&
                       static_cast<double>(duration) > m_slow.timesMedian * static_cast<double>(median()));
    m_durations[m_timed++ % kRemembered] = duration;
    return slow ? duration : 0;
}

StepPlan::Turn StepPlan::begin(int64_t time)
{
    Turn turn;
    turn.slowNs = end(time);
    turn.step = m_steps++;
    m_begun = time;
    if (!m_schedule)
        return turn;
    const Action before = m_action;
    const auto place = static_cast<int64_t>(turn.step - m_first);
    m_action = m_schedule->at(place);
    turn.cycle = m_cycle;
    turn.cycleEnds = before == Action::Save;
    turn.warmUpBegins = m_action == Action::WarmUp && before != Action::WarmUp;
    turn.cycleBegins = isRecorded(m_action) && (turn.cycleEnds || !isRecorded(before));
    m_cycle += turn.cycleBegins;
    const auto last = m_schedule->end();
    turn.isLast = last && place >= *last;
    return turn;
}

} // namespace riffle::collector
