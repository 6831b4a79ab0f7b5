// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"
#include "collector/src/option_text.h"
#include "collector/src/sources/every_call.h"

#include <algorithm>
#include <iterator>

namespace riffle::collector {

Answer Engine::change(std::string_view changes)
{
    std::scoped_lock control(m_control); // nothing may happen between the end of a log and the start of the next one
    bool ranks = false, schedule = false;
    std::string known, error;
    for (std::string_view rest = changes; !rest.empty();) {
        const std::string_view line = takePart(rest, ";\n"), key = line.substr(0, line.find('='));
        if (line.empty())
            continue;
        constexpr std::string_view kKeys[] = {"preset", "schedule", "ranks",  "operators",
                                              "shapes", "modules",  "stacks", "memory_history"};
        if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
            return {RIFFLE_EINVAL, "Option '" + std::string(key) + "' cannot be changed; start takes all options."};
        ranks |= key == "ranks";
        schedule |= key == "schedule";
        if (line != "schedule=none")
            known.append(line).append("\n");
    }
    Options options;
    {
        std::scoped_lock lock(m_mutex);
        options = m_options;
    }
    const Options::Preset preset = options.preset;
    if (schedule)
        options.schedule.reset();
    if (!readOptions(known, options, error))
        return {RIFFLE_EINVAL, error};
    if (ranks && !follows() && options.includes(options.rank))
        return restart(known);
    if (ranks && !options.includes(options.rank)) {
        if (follows())
            if (const Answer ended = end(); ended.code != RIFFLE_OK)
                return ended;
        return begin(options);
    }
    if (!follows())
        return {RIFFLE_ESTATE, "Nothing is being recorded. Use start."};
    if (options.preset == preset)
        return changeInPlace(options, schedule);
    {
        std::scoped_lock locks(m_stepping, m_mutex);
        if (!schedule)
            options.schedule = m_plan.schedule(); // a pause or resume has ended that of the options
        options.paused = !schedule && m_state == State::Paused && !options.schedule && !m_waits;
        // The limits count from the start of the log that ends here.
        const int64_t elapsed = (now() - m_startTime) / 1'000'000'000;
        if (options.maxSeconds)
            options.maxSeconds =
                std::max<int64_t>(1, options.maxSeconds - std::max<int64_t>(0, elapsed - options.startAfter));
        options.startAfter = m_waits ? std::max<int64_t>(1, options.startAfter - elapsed) : 0;
        m_continues = true;
    }
    const Answer ended = end();
    const Answer begun = ended.code == RIFFLE_OK ? begin(options) : ended;
    m_continues = false;
    return begun;
}

Answer Engine::changeInPlace(const Options &options, bool reschedules)
{
    std::scoped_lock control(m_control);
    if (!follows())
        return {RIFFLE_ESTATE, "Nothing is being recorded. Use start."};
    {
        std::scoped_lock locks(m_stepping, m_mutex);
        if (m_ending || m_stopping)
            return {RIFFLE_ESTATE, "The recording is ending. Use start when it has ended."};
        if (reschedules) {
            const bool waited = m_waits.exchange(false) || m_plan.isScheduled();
            m_plan.follow(options.schedule);
            m_isWarm = options.schedule && m_stepMark.load() != nullptr;
            if (options.schedule)
                turnTo(State::Paused, kUnscheduled);
            else if (waited)
                turnTo(State::Recording);
            m_wantsCuda = m_wantsCuda || !options.schedule;
            m_options.schedule = options.schedule;
        }
        m_options.ranks = options.ranks;
        m_options.operators = options.operators;
        m_options.shapes = options.shapes;
        m_options.modules = options.modules;
        m_options.stacks = m_stacks = options.stacks;
        m_options.memoryHistory = options.memoryHistory;
    }
    askAgent(options);
    return {};
}

void Engine::askAgent(const Options &options)
{
    {
        std::scoped_lock lock(m_asking);
        m_asked = {.operators = wantsOperators(options),
                   .shapes = options.shapes,
                   .modules = options.modules,
                   .stacks = options.stacks,
                   .memoryHistory = static_cast<uint32_t>(options.memoryHistory),
                   .steps = true};
    }
    updateAgent();
}

/// Publishes what the Python part should provide in this state.
void Engine::updateAgent()
{
    std::scoped_lock lock(m_asking);
    const State state = m_state;
    AgentChannel::Wishes wishes = m_asked;
    const bool isNow = state == State::Recording || (state == State::Paused && m_isWarm);
    wishes.operators &= isNow;
    wishes.modules &= isNow;
    recordEveryCall(state == State::Recording && wishes.stacks == StacksWay::Calls);
    if (!isNow && wishes.stacks == StacksWay::Calls)
        wishes.stacks = StacksWay::None;
    if (!isFollowing(state))
        wishes = {};
    m_agent.wish(wishes);
}

} // namespace riffle::collector
