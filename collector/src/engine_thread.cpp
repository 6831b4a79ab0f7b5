// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr auto kIdleTick = std::chrono::milliseconds(20), kBusyTick = std::chrono::milliseconds(2);
constexpr size_t kBusyBytes = 64 << 10;      ///< of records in one tick
constexpr int64_t kFlushEvery = 200'000'000; ///< ns: about what a killed process loses
constexpr int64_t kClockEvery = 1'000'000'000;

} // namespace

/// The drain thread. It alone touches the log while it runs.
void Engine::run()
{
    pthread_setname_np(pthread_self(), "riffle");
    m_osThread = static_cast<uint32_t>(syscall(SYS_gettid));
    bool more = true;
    try {
        while (more) {
            size_t bytes = 0;
            more = tick(bytes);
            std::unique_lock lock(m_mutex);
            const bool yields = m_cuda.isYielding() && m_cuda.isArmed();
            if (more && !m_stopping && m_flushDone == m_flushAsked && m_dumpTo.empty() && !yields)
                m_wake.wait_for(lock, bytes > kBusyBytes ? kBusyTick : kIdleTick);
        }
        m_log.close();
    } catch (const std::exception &) {
        // Out of memory: what is in the file stays there.
    }
    m_samples.stop();
    std::scoped_lock lock(m_mutex);
    if (follows())
        m_state = static_cast<int>(State::Ended);
    m_statistics.bytesWritten = m_log.bytesWritten();
    m_statistics.bytesKept = m_log.bytesKept();
    m_done.notify_all();
}

/// Takes what there is. False when the log is at its end.
bool Engine::tick(size_t &bytes)
{
    uint64_t asked = 0;
    bool stopping = false;
    std::string dumpTo;
    {
        std::scoped_lock lock(m_mutex);
        asked = m_flushAsked;
        stopping = m_stopping;
        dumpTo = m_dumpTo;
        m_known = m_threads;
    }
    bytes = 0;
    for (ThreadLog *thread : std::vector(m_known)) {
        const bool finished = thread->finished.load(std::memory_order_acquire);
        bytes += m_drain.take(*thread);
        if (finished)
            retire(thread);
    }
    const int64_t time = now();
    if (time - m_lastClock >= kClockEvery) {
        m_lastClock = time;
        m_log.clocks.row(time, time, time, nanoseconds(CLOCK_REALTIME), nanoseconds(CLOCK_BOOTTIME));
    }
    bool good = true;
    if (stopping || m_cuda.isYielding())
        m_cuda.disarm();
    if (stopping || asked != m_flushDone || time - m_lastFlush >= kFlushEvery || !dumpTo.empty()) {
        m_lastFlush = time;
        watchCuda();
        takeSamples();
        m_drain.listOpen();
        good = m_log.flush();
    }
    const std::string dumpError = dumpTo.empty() ? std::string() : m_log.linkInto(dumpTo);
    std::scoped_lock lock(m_mutex);
    m_flushDone = asked;
    if (!dumpTo.empty()) {
        m_dumpTo.clear();
        m_dumpError = dumpError;
    }
    m_statistics.events = m_drain.events() + m_cuda.records();
    m_statistics.dropped = m_drain.dropped() + m_cuda.lost();
    m_statistics.bytesWritten = m_log.bytesWritten();
    m_statistics.bytesKept = m_log.bytesKept();
    m_done.notify_all();
    return good && !stopping && !m_log.isFull();
}

/// A thread that has ended and whose ring is empty: its memory goes back.
void Engine::retire(ThreadLog *thread)
{
    m_drain.forget(thread->index(), now());
    std::erase(m_known, thread);
    std::scoped_lock lock(m_mutex);
    std::erase(m_threads, thread);
    m_bufferBytes -= thread->ring().capacity();
    thread->ring().destroy();
    delete thread;
}

} // namespace riffle::collector
