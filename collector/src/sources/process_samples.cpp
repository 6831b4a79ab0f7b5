// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/process_samples.h"

#include "collector/src/clock.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr size_t kMost = 100'000; ///< the most samples that may wait; later ones are dropped
constexpr int64_t kGpuShare = 50; ///< at most 1/50 of the time is spent on measuring the GPUs
constexpr auto kPatience = std::chrono::milliseconds(50);

/// Measures the process's memory, and its CPU use since the previous call.
class HostMeter {
public:
    void read(std::vector<Sample> &samples)
    {
        const int64_t time = now(), used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        char text[128] = {};
        const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
        const ssize_t length = file < 0 ? -1 : ::read(file, text, sizeof(text) - 1);
        if (file >= 0)
            close(file);
        long long resident = 0;
        if (length > 0 && std::sscanf(text, "%*d %lld", &resident) == 1)
            samples.push_back({time, "Host memory (bytes)", "resident", static_cast<double>(resident) * m_pageBytes});
        if (m_time != 0 && time > m_time)
            samples.push_back({time, "CPU (%)", "process",
                               100.0 * static_cast<double>(used - m_used) / static_cast<double>(time - m_time)});
        m_time = time;
        m_used = used;
    }

private:
    const double m_pageBytes = static_cast<double>(sysconf(_SC_PAGESIZE));
    int64_t m_time = 0, m_used = 0;
};

} // namespace

/// The state shared with the thread; it lives as long as the thread, which may outlive the recording.
struct ProcessSamples::State {
    std::mutex mutex;
    std::condition_variable wake, done;
    std::vector<Sample> samples;
    std::string said;
    bool stopping = false, ended = false;
    std::atomic<uint32_t> osThread{0};
    std::atomic<uint64_t> usedNs{0};
};

void ProcessSamples::start(int64_t periodMs)
{
    m_state = std::make_shared<State>();
    std::thread([state = m_state, periodMs] { run(state, periodMs); }).detach();
}

void ProcessSamples::run(const std::shared_ptr<State> &state, int64_t periodMs)
{
    pthread_setname_np(pthread_self(), "riffle samples");
    state->osThread = static_cast<uint32_t>(syscall(SYS_gettid));
    HostMeter host;
    GpuMeter gpus;
    int64_t gpusNext = 0;
    auto next = std::chrono::steady_clock::now();
    std::vector<Sample> samples;
    std::string said;
    const auto hand = [&] {
        std::scoped_lock lock(state->mutex);
        if (state->samples.size() < kMost)
            state->samples.insert(state->samples.end(), samples.begin(), samples.end());
        state->said = said;
        state->usedNs = static_cast<uint64_t>(nanoseconds(CLOCK_THREAD_CPUTIME_ID));
        samples.clear();
    };
    try {
        for (;;) {
            host.read(samples);
            hand();
            if (const int64_t begin = now(); begin >= gpusNext) {
                gpus.read(samples, said);
                gpusNext = now() + kGpuShare * (now() - begin);
                hand();
            }
            next = std::max(next + std::chrono::milliseconds(periodMs), std::chrono::steady_clock::now());
            std::unique_lock lock(state->mutex);
            if (state->wake.wait_until(lock, next, [&] { return state->stopping; }))
                break;
        }
    } catch (const std::exception &) {
        // Out of memory: the measurements just end, since the program has bigger problems.
    }
    std::scoped_lock lock(state->mutex);
    state->ended = true;
    state->done.notify_all();
}

void ProcessSamples::stop()
{
    if (!m_state)
        return;
    std::unique_lock lock(m_state->mutex);
    m_state->stopping = true;
    m_state->wake.notify_all();
    m_state->done.wait_for(lock, kPatience, [this] { return m_state->ended; });
    lock.unlock();
    m_state.reset();
}

std::vector<Sample> ProcessSamples::take()
{
    std::vector<Sample> samples;
    if (m_state) {
        std::scoped_lock lock(m_state->mutex);
        samples.swap(m_state->samples);
    }
    return samples;
}

std::string ProcessSamples::said() const
{
    if (!m_state)
        return {};
    std::scoped_lock lock(m_state->mutex);
    return m_state->said;
}

uint64_t ProcessSamples::usedNs() const { return m_state ? m_state->usedNs.load() : 0; }
uint32_t ProcessSamples::osThread() const { return m_state ? m_state->osThread.load() : 0; }

} // namespace riffle::collector
