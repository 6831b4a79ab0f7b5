// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"
#include "riffle/wire.h"

#include <cstdio>
#include <exception>

namespace riffle::collector {

namespace {

thread_local bool t_inStep = false;

} // namespace

/// True for the name alone or with a number, as in NAME#12. PyTorch's ranges have more text, which follows a comma.
bool Engine::isStepMark(std::string_view name, const std::string &mark)
{
    if (!name.starts_with(mark))
        return false;
    name.remove_prefix(mark.size());
    return name.empty() || name.front() == '#' || name.starts_with(", ");
}

void Engine::step(int64_t number)
{
    if (follows() && !m_stepMark.load(std::memory_order_relaxed))
        beginStep(number);
}

/// Starts a step; without a number it gets the next one.
void Engine::beginStep(std::optional<int64_t> number)
try {
    static const Domain steps{""}; // steps need their own stack because ranges of the program may be open across them
    if (m_waits)
        return;
    ThreadLog *log = threadLog();
    std::scoped_lock lock(m_stepping);
    if (t_inStep && log)
        log->pop(&steps);
    const int64_t named = number.value_or(static_cast<int64_t>(m_plan.steps()));
    t_inStep = named >= 0;
    StepPlan::Turn turn;
    if (t_inStep)
        turn = m_plan.begin(now());
    else
        turn.slowNs = m_plan.end(now());
    if (turn.warmUpBegins || turn.cycleBegins)
        m_wantsCuda = true;
    if (turn.isNews())
        m_isWarm = m_plan.isWarmingUp() || (m_plan.isScheduled() && m_stepMark.load() && !turn.isLast);
    if (turn.isLast) { // the Python part need not wait for the end of the log
        std::scoped_lock asking(m_asking);
        m_asked = {};
    }
    if (turn.cycleBegins)
        turnTo(State::Recording);
    else if (turn.cycleEnds)
        turnTo(State::Paused, turn.isLast ? "" : kUnscheduled);
    else if (turn.isNews())
        updateAgent();
    if (log && turn.cycleBegins)
        log->add(RecordKind::Mark, nullptr, "cycle#" + std::to_string(turn.cycle + 1), wire::kCycleCategory);
    if (log && t_inStep) {
        char name[40];
        std::snprintf(name, sizeof(name), "ProfilerStep#%lld", static_cast<long long>(named));
        log->push(records(), &steps, name, wire::kStepCategory);
    } else if (t_inStep) {
        lose();
    }
    if (!turn.isNews() && turn.slowNs == 0)
        return;
    {
        std::scoped_lock also(m_mutex);
        m_ending |= turn.isLast; // before push_back(), which may run out of memory
        m_turns.push_back(turn);
    }
    m_wake.notify_all();
} catch (const std::exception &) {
    lose(); // out of memory: the step has no name, or its turn is not reported
}

} // namespace riffle::collector
