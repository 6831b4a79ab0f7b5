// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_samples.h"

#include "collector/src/clock.h"
#include "collector/src/sources/python_sampler.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <pthread.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr auto kForbidden = std::chrono::milliseconds(100); ///< between two looks whether frames may be read again
/// Slices that nobody has taken: they go into one chunk, of at most wire::kMaxChunkBytes.
constexpr size_t kMostWaiting = 1 << 17;

} // namespace

std::string PythonSamples::start(PythonRuntime &python, int64_t intervalNs)
{
    m_python = &python;
    m_intervalNs = intervalNs;
    m_slices = PythonSampleSlices(intervalNs);
    m_taken = {};
    m_torn.take();
    m_stopping = false;
    m_pausedAt = 0;
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &error) {
        return std::string("Python stacks are not sampled: the thread could not be created: ") + error.what() + ".";
    }
    return {};
}

void PythonSamples::stop()
{
    if (!m_thread.joinable())
        return;
    {
        std::scoped_lock lock(m_mutex);
        m_stopping = true;
    }
    m_wake.notify_all();
    m_thread.join();
    m_osThread = 0;
}

void PythonSamples::keep(bool records)
{
    if (!records) {
        int64_t none = 0;
        m_pausedAt.compare_exchange_strong(none, now());
        m_records = false;
        return;
    }
    {
        std::scoped_lock lock(m_mutex); // the thread either sees the new value or is already waiting
        m_records = true;
    }
    m_wake.notify_all();
}

void PythonSamples::run()
{
    pthread_setname_np(pthread_self(), "riffle python");
    m_osThread = static_cast<uint32_t>(syscall(SYS_gettid));
    try {
        sampleUntilStopped();
    } catch (const std::exception &) {
        // Out of memory: the samples just end, since the program has bigger problems.
    }
    std::scoped_lock lock(m_mutex);
    const int64_t paused = m_pausedAt;
    try {
        m_slices.endAll(paused ? paused : now());
    } catch (const std::exception &) {
        // The same.
    }
}

void PythonSamples::sampleUntilStopped()
{
    using Clock = std::chrono::steady_clock;
    PythonSampler sampler(*m_python);
    auto next = Clock::now();
    std::unique_lock lock(m_mutex);
    while (!m_stopping) {
        if (const int64_t paused = m_pausedAt.exchange(0))
            m_slices.endAll(paused);
        if (!m_records) {
            m_wake.wait(lock, [this] { return m_stopping || m_records; });
            next = Clock::now();
            continue;
        }
        lock.unlock();
        const auto began = Clock::now();
        const int64_t begin = now();
        const bool may = m_python->enter();
        bool isWhole = true;
        std::span<const PythonSample> samples;
        if (may) {
            samples = sampler.sample(isWhole);
            m_python->leave();
        }
        m_usedNs = static_cast<uint64_t>(nanoseconds(CLOCK_THREAD_CPUTIME_ID));
        lock.lock();
        for (const PythonSample &sample : samples) {
            ++m_taken.samples;
            m_taken.moved += sample.result == PythonSample::kMoved;
            if (sample.result == PythonSample::kTorn) {
                ++m_taken.allTorn;
                m_torn.add(sample.time);
                m_slices.end(sample.osThread, sample.time);
            } else if (m_taken.ended.size() < kMostWaiting) {
                m_slices.add(sample.osThread, sample.time, sample.frames);
            } else {
                m_torn.add(sample.time);
            }
        }
        if (!isWhole) { // threads that were not seen may still run
            ++m_taken.samples;
            ++m_taken.allTorn;
            m_torn.add(begin);
        }
        m_slices.endOlder(begin);
        auto ended = m_slices.takeEnded();
        m_taken.ended.insert(m_taken.ended.end(), std::make_move_iterator(ended.begin()),
                             std::make_move_iterator(ended.end()));
        const auto done = Clock::now();
        next = std::max(next + std::chrono::nanoseconds(m_intervalNs), done + (done - began)); // at most half a core
        if (!may)
            next = Clock::now() + kForbidden;
        m_wake.wait_until(lock, next, [this] { return m_stopping; });
    }
}

PythonSamples::Taken PythonSamples::take()
{
    std::scoped_lock lock(m_mutex);
    Taken taken = std::exchange(m_taken, {});
    m_taken.samples = taken.samples;
    m_taken.allTorn = taken.allTorn;
    m_taken.moved = taken.moved;
    auto ended = m_slices.takeEnded(); // those that ended with the thread
    taken.ended.insert(taken.ended.end(), std::make_move_iterator(ended.begin()), std::make_move_iterator(ended.end()));
    taken.open = m_slices.open();
    taken.torn = m_torn.take();
    return taken;
}

} // namespace riffle::collector
