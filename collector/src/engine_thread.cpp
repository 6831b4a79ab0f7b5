// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/dump_signal.h"
#include "collector/src/engine.h"
#include "collector/src/report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr auto kIdleTick = std::chrono::milliseconds(20), kBusyTick = std::chrono::milliseconds(2);
constexpr size_t kBusyBytes = 64 << 10;      ///< bytes of records; after a tick with more, the next one comes sooner
constexpr int64_t kFlushEvery = 200'000'000; ///< ns; a killed process loses about that much
constexpr int64_t kClockEvery = 1'000'000'000;

} // namespace

/// The drain thread. It alone touches the log while it runs.
void Engine::run()
{
    pthread_setname_np(pthread_self(), "riffle");
    m_osThread = static_cast<uint32_t>(syscall(SYS_gettid));
    {
        std::scoped_lock lock(m_mutex); // begin() holds it until the wishes are published
    }
    if (m_agent.isThere())
        m_agent.ring(); // this start is not the first, so the Python part may have given back what it needs for steps
    bool more = true;
    try {
        while (more) {
            size_t bytes = 0;
            more = tick(bytes);
            std::unique_lock lock(m_mutex);
            const bool yields = m_cuda.isYielding() && m_cuda.isArmed();
            if (more && !m_stopping && !m_ending && m_turns.empty() && m_flushDone == m_flushAsked &&
                m_dumpTo.empty() && !yields)
                m_wake.wait_for(lock, bytes > kBusyBytes ? kBusyTick : kIdleTick);
        }
        m_log.close();
    } catch (const std::exception &) {
        // Out of memory: the file keeps what has been written.
    }
    publish();
    m_samples.stop();
    m_pythonSamples.stop(); // after an error; otherwise it has ended
    if (m_owesWritten && m_log.error().empty())
        tellWritten("The recording");
    if (!m_log.error().empty())
        tell("Recording has stopped. " + m_log.error());
    else if (m_log.isFull())
        tell("Recording has stopped because the log has reached max_bytes.");
    const uint64_t steps = statistics().stepsEnded;
    std::unique_lock lock(m_mutex);
    // Otherwise only the program stopped it, and may start again.
    const bool isDone = !m_continues && (m_ending || !m_stopping);
    m_endedAt = now();
    lock.unlock(); // the program's threads need it, and writing a file may take long
    if (steps > 0 || isDone || !m_log.error().empty())
        tellRecorder(m_recorder, steps, isDone, m_log.error());
    lock.lock();
    turnTo(State::Ended);
    m_agent.ring();
    m_done.notify_all();
}

bool Engine::isScheduled()
{
    std::scoped_lock lock(m_stepping);
    return m_plan.isScheduled();
}

/// Processes everything that is waiting. Returns false when the log has ended.
bool Engine::tick(size_t &bytes)
{
    uint64_t asked = 0;
    bool ending = false;
    std::string dumpTo;
    std::vector<StepPlan::Turn> turns;
    const int64_t time = now();
    const bool timeIsUp = isTimeUp(time), signalled = tookDumpSignal();
    if (timeIsUp) {
        turnTo(State::Paused); // events from now on are not recorded
        m_agent.ring();
    }
    {
        std::scoped_lock lock(m_mutex);
        m_ending |= timeIsUp;
        asked = m_flushAsked;
        ending = m_stopping || m_ending;
        dumpTo = m_dumpTo;
        turns.swap(m_turns);
        m_known = m_threads;
    }
    bytes = 0;
    for (ThreadLog *thread : std::vector(m_known)) {
        const bool finished = thread->finished.load(std::memory_order_acquire);
        bytes += m_drain.take(*thread);
        if (finished)
            retire(thread);
    }
    m_drain.lose("memory_limit", m_refused.take());
    if (time - m_lastClock >= kClockEvery) {
        m_lastClock = time;
        m_log.clocks.row(time, time, time, nanoseconds(CLOCK_REALTIME), nanoseconds(CLOCK_BOOTTIME));
    }
    bool good = true;
    if (ending || m_cuda.isYielding())
        m_cuda.disarm();
    followPythonSamples(ending);
    if (ending || signalled || !turns.empty() || asked != m_flushDone || time - m_lastFlush >= kFlushEvery ||
        !dumpTo.empty()) {
        m_lastFlush = time;
        watchCuda();
        takeSamples();
        sayStacks();
        writeGaps();
        m_log.settled.row(time, time, m_log.text(wire::kThreadSource), time);
        const std::optional<int64_t> cuda = m_cuda.settledUpTo();
        if (cuda)
            m_log.settled.row(*cuda, *cuda, m_log.text(wire::kCudaSource), *cuda);
        m_log.summarize(cuda.value_or(time));
        m_drain.listOpen();
        takePythonSamples();
        good = m_log.flush();
        if (good)
            m_flushedAt = time;
        publish();
    }
    tellTurns(turns);
    if (signalled)
        dumpBecause("the signal was received");
    const std::string dumpError = dumpTo.empty() ? std::string() : m_log.linkInto(dumpTo);
    std::scoped_lock lock(m_mutex);
    m_flushDone = asked;
    if (!dumpTo.empty()) {
        m_dumpTo.clear();
        m_dumpError = dumpError;
    }
    m_done.notify_all();
    return good && !ending && !m_log.isFull();
}

/// Publishes the state of the log to other threads, to subscribers and to the recorder.
void Engine::publish()
{
    {
        std::scoped_lock lock(m_mutex);
        m_logError = m_log.error();
        m_statistics.events = m_drain.events() + m_cuda.records();
        m_statistics.dropped = m_drain.dropped() + m_cuda.lost();
        m_statistics.bytesWritten = m_log.bytesWritten();
        m_statistics.bytesKept = m_log.bytesKept();
        m_statistics.entries = m_drain.entries();
        m_statistics.collectorNs =
            static_cast<uint64_t>(nanoseconds(CLOCK_THREAD_CPUTIME_ID)) + m_samples.usedNs() + m_pythonSamples.usedNs();
        m_statistics.programNs = static_cast<uint64_t>(static_cast<double>(m_drain.entries()) * m_entryNs);
        m_statistics.reasons = m_drain.reasons();
        if (const uint64_t lost = m_cuda.lost())
            m_statistics.reasons["cupti"] = lost;
        m_statistics.committed.sequence = m_log.sequence();
        m_statistics.committed.bytes = m_log.bytesOfFile();
    }
    m_server.notify();
    if (const uint64_t steps = m_toldSteps ? 0 : statistics().stepsEnded; steps > 0) {
        tellRecorder(m_recorder, steps, false);
        m_toldSteps = true;
    }
}

/// Starts recording when start_after has elapsed; returns true when max_seconds has elapsed.
bool Engine::isTimeUp(int64_t time)
{
    constexpr int64_t kSecond = 1'000'000'000;
    const int64_t since = time - m_startTime - m_options.startAfter * kSecond;
    if (since >= 0 && m_waits.exchange(false) && !isScheduled()) {
        m_wantsCuda = true;
        turnTo(State::Recording);
        m_agent.ring();
        tell("Recording starts.");
        m_owesWritten = true;
    }
    return m_options.maxSeconds > 0 && since >= m_options.maxSeconds * kSecond;
}

void Engine::tellWritten(const std::string &what)
{
    const Statistics now = statistics();
    char size[32];
    const double bytes = static_cast<double>(now.bytesKept);
    std::snprintf(size, sizeof(size), bytes < 1e6 ? "%.1f kB" : "%.1f MB", bytes / (bytes < 1e6 ? 1e3 : 1e6));
    tell(what + " was written: " + now.path + ", " + size + ", " + std::to_string(now.dropped) + " dropped.");
    m_owesWritten = false;
}

void Engine::tellTurns(const std::vector<StepPlan::Turn> &turns)
{
    for (const StepPlan::Turn &turn : turns) {
        const std::string atStep = " at step " + std::to_string(turn.step);
        if (turn.cycleEnds && m_log.error().empty())
            tellWritten("Cycle " + std::to_string(turn.cycle));
        if (turn.warmUpBegins)
            tell("Warm-up starts" + atStep + ".");
        if (turn.cycleBegins) {
            tell("Recording starts" + atStep + ".");
            m_owesWritten = true;
        }
        if (turn.slowNs > 0)
            dumpBecause("a step took " + std::to_string(turn.slowNs / 1'000'000) + " ms");
    }
}

/// Writes a dump beside the log, unless max_dumps has been reached.
void Engine::dumpBecause(const std::string &why)
{
    uint64_t number = 0;
    std::string path;
    {
        std::scoped_lock lock(m_mutex);
        if (m_statistics.dumps >= static_cast<uint64_t>(m_options.maxDumps))
            return;
        number = ++m_statistics.dumps;
        path = m_statistics.path;
    }
    path = path.substr(0, path.rfind('.')) + "_dump" + std::to_string(number) + ".rifflelog";
    const std::string error = m_log.linkInto(path);
    tell("Dump " + std::to_string(number) + (error.empty() ? " was written because " : " failed; it was due because ") +
         why + (error.empty() ? ": " + path : ". " + error));
}

/// Frees the memory of a thread that has ended and whose ring is empty.
void Engine::retire(ThreadLog *thread)
{
    m_drain.forget(thread->index(), now());
    std::erase(m_known, thread);
    std::scoped_lock lock(m_mutex);
    std::erase(m_threads, thread);
    m_bufferBytes -= thread->ring().capacity();
    ++m_givenBack;
    thread->ring().destroy();
    delete thread;
}

} // namespace riffle::collector
