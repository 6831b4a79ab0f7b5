// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/drain.h"
#include "collector/src/options.h"
#include "collector/src/sources/cuda_activity.h"
#include "collector/src/sources/process_samples.h"
#include "collector/src/thread_log.h"

#include "riffle/collector.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

enum class State : int { Off = 0, Recording = 1, Paused = 2, Ended = 3 };

/// What a call came to: 0 and nothing, or a RIFFLE_E… code and the sentence.
struct Answer {
    int code = 0;
    std::string error;
};

struct Statistics {
    State state = State::Off;
    uint64_t events = 0, dropped = 0, bytesWritten = 0, bytesKept = 0, bufferBytes = 0, threads = 0;
    std::string path;
};

/// The collector of a process. There is one, made when it is first needed and never destroyed: threads may use it while
/// the process ends. In the child of a fork there is none until something asks for it again.
class Engine {
public:
    static Engine &get();
    /// Null where nothing was ever started in this process: what events look at first.
    static Engine *existing() { return s_engine.load(std::memory_order_acquire); }

    Answer start(const Options &options);
    Answer stop();
    Answer pause(bool paused);
    Answer flush();
    Answer dump(const std::string &folder);
    /// Begins to record CUDA if it can; the best moment is when the driver starts.
    void armCuda(bool driverStarts = false);
    /// Leaves CUPTI to somebody else, until as many resumeCuda().
    Answer yieldCuda();
    Answer resumeCuda();
    Answer willYieldCuda();
    Statistics statistics();

    bool follows() const { return m_state.load(std::memory_order_relaxed) <= 2 && m_state.load(std::memory_order_relaxed) > 0; }
    bool records() const { return m_state.load(std::memory_order_relaxed) == static_cast<int>(State::Recording); }
    /// The calling thread's log; null when there is no memory for it.
    ThreadLog *threadLog();

    static void threadEnded(void *log);
    static void forkedChild();

private:
    Engine() = default;
    ThreadLog *addThread();
    void run();
    bool tick(size_t &bytes);
    void retire(ThreadLog *thread);
    void watchCuda();
    void takeSamples();
    uint32_t threadOf(uint32_t osThread);
    void describeProcess(const Options &options);

    static std::atomic<Engine *> s_engine;

    std::atomic<int> m_state{0};
    std::mutex m_control; ///< start and stop, one at a time
    std::mutex m_mutex;   ///< guards what follows
    std::condition_variable m_wake, m_done;
    std::vector<ThreadLog *> m_threads;
    uint32_t m_nextThread = 1;
    size_t m_bufferBytes = 0;
    uint64_t m_refused = 0;
    uint64_t m_flushAsked = 0, m_flushDone = 0;
    std::string m_dumpTo, m_dumpError;
    bool m_stopping = false;
    Options m_options;
    Statistics m_statistics;
    std::string m_cudaSaid;
    bool m_cudaRefused = false, m_cudaGuarded = false;
    std::thread m_thread;

    // The drain thread's.
    LogWriter m_log;
    Drain m_drain{m_log};
    std::vector<ThreadLog *> m_known;
    CudaActivity m_cuda{m_log, [this](uint32_t osThread) { return threadOf(osThread); }};
    std::unordered_map<uint32_t, uint32_t> m_indexOfThread; ///< by OS thread, of those that CUPTI names
    ProcessSamples m_samples;
    uint32_t m_osThread = 0; ///< the drain thread's own
    std::string m_cudaWritten, m_samplesWritten;
    int64_t m_lastFlush = 0, m_lastClock = 0;
};

} // namespace riffle::collector
