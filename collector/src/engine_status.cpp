// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

/// The start of this process in ns since 1970; 0 if it is unknown.
int64_t processStartNs()
{
    char text[1024] = {};
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    const char *rest = length > 0 ? std::strrchr(text, ')') : nullptr; // the name may contain any character
    unsigned long long ticks = 0;                                      // since the system was started
    if (!rest ||
        std::sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                    &ticks) != 1)
        return 0;
    return nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_BOOTTIME) +
           static_cast<int64_t>(ticks) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

uint32_t agentCapabilities(AgentChannel &agent)
{
    if (!agent.isThere())
        return 0;
    const AgentChannel::Wishes wishes = agent.wishes();
    return control::kPythonPart | (wishes.operators ? control::kOperators : 0u) |
           (wishes.shapes ? control::kShapes : 0u) | (wishes.modules ? control::kModules : 0u) |
           (wishes.memoryHistory ? control::kMemoryHistory : 0u);
}

} // namespace

Statistics Engine::statistics()
{
    std::scoped_lock lock(m_stepping, m_mutex);
    Statistics now = m_statistics;
    now.state = m_state;
    now.committed.state = now.state;
    now.bufferBytes = m_bufferBytes;
    now.threads = m_nextThread - 1;
    now.steps = m_plan.steps();
    now.stepsEnded = m_plan.ended();
    now.cycle = m_plan.cycle();
    now.stepNs = static_cast<uint64_t>(m_plan.medianNs());
    now.error = m_logError;
    if (const int64_t begun = m_begun) {
        const int64_t time = riffle::collector::now(), ended = m_endedAt;
        now.elapsedNs = static_cast<uint64_t>((ended ? ended : time) - begun);
        now.lagNs = isFollowing(now.state) ? time - m_flushedAt : 0;
    }
    return now;
}

control::HelloPart Engine::hello()
{
    std::scoped_lock lock(m_stepping, m_mutex);
    const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    const uint32_t capabilities = (m_cuda.isArmed() ? control::kRecordsCuda : 0u) |
                                  (m_options.keepSeconds > 0 ? control::kFlightRecorder : 0u) |
                                  (m_plan.isScheduled() ? control::kScheduled : 0u) | agentCapabilities(m_agent);
    return {RIFFLE_ABI_VERSION,
            static_cast<uint32_t>(getpid()),
            number(m_options.rank),
            number(m_options.localRank),
            number(m_options.worldSize),
            m_state,
            capabilities,
            0,
            processStartNs(),
            m_statistics.path.empty() ? 0 : m_statistics.startNs};
}

std::string Engine::helloLines()
{
    std::scoped_lock lock(m_stepping, m_mutex);
    std::string text = std::string("preset=") + nameOf(m_options.preset) + "\n";
    if (const auto schedule = m_plan.schedule())
        text += "schedule=" + textOf(*schedule) + "\n";
    return text;
}

} // namespace riffle::collector
