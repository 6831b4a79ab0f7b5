// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/control_server.h"
#include "collector/src/drain.h"
#include "collector/src/options.h"
#include "collector/src/sources/cuda_activity.h"
#include "collector/src/sources/process_samples.h"
#include "collector/src/step_plan.h"
#include "collector/src/thread_log.h"

#include "riffle/collector.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

using control::State;

/// What a call came to: 0 and nothing, or a RIFFLE_E… code and the sentence.
struct Answer {
    int code = 0;
    std::string error;
};

struct Statistics {
    State state = State::Off;
    uint64_t events = 0, dropped = 0, bytesWritten = 0, bytesKept = 0, bufferBytes = 0, threads = 0;
    uint64_t steps = 0, stepsEnded = 0, dumps = 0;
    uint32_t cycle = 0;
    control::CommittedPart committed{};
    std::string path;
};

/// The collector of a process. There is one, made when it is first needed and never destroyed: threads may use it while
/// the process ends. In the child of a fork there is none until something asks for it again.
class Engine {
public:
    static Engine &get();
    /// Null where nothing was ever started in this process: what events look at first.
    static Engine *existing() { return s_engine.load(std::memory_order_acquire); }

    /// What the launcher says is taken where the options say nothing.
    Answer start(Options options);
    /// As the program had it started last, without schedule and limits, and with `changes`: lines as of riffle_start().
    Answer restart(std::string_view changes);
    Answer stop();
    /// Ends the recording in the program's stead: its own stop is still to come.
    Answer end();
    /// Ends what a schedule or a time decides, too.
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
    /// Of the process and its recording, without the text.
    control::HelloPart hello();
    ControlServer &controlServer() { return m_server; }
    /// A line on stderr, unless the user wants none. For threads of the collector.
    void tell(const std::string &sentence);

    /// The program begins a step; a negative number only ends the one that is open. Nothing where ranges mark the
    /// steps.
    void step(int64_t number);
    /// A range begins, of whatever source and whether it is recorded or not: it may be what marks the steps.
    void began(std::string_view name)
    {
        if (const std::string *mark = m_stepMark.load(std::memory_order_acquire)) [[unlikely]]
            if (follows() && isStepMark(name, *mark))
                beginStep(std::nullopt);
    }

    bool follows() const { return isFollowing(m_state.load(std::memory_order_relaxed)); }
    bool records() const { return m_state.load(std::memory_order_relaxed) == State::Recording; }
    /// The calling thread's log; null while there is no memory for it.
    ThreadLog *threadLog();
    /// Counts an event of a thread that has no log.
    void lose();

    static void threadEnded(void *log);
    static void forkedChild();

private:
    Engine();
    static bool isFollowing(State state) { return state == State::Recording || state == State::Paused; }
    static bool isStepMark(std::string_view name, const std::string &mark);
    Answer begin(const Options &options);
    bool turnTo(State state);
    void beginStep(std::optional<int64_t> number);
    ThreadLog *addThread();
    void run();
    bool tick(size_t &bytes);
    bool isTimeUp(int64_t time);
    void tellTurns(const std::vector<StepPlan::Turn> &turns);
    void tellWritten(const std::string &what);
    void dumpBecause(const std::string &why);
    void publish();
    void retire(ThreadLog *thread);
    void watchCuda();
    void takeSamples();
    uint32_t threadOf(uint32_t osThread);
    void describeProcess(const Options &options);

    static std::atomic<Engine *> s_engine;

    std::atomic<State> m_state{State::Off};
    /// Null: riffle_step() marks the steps. Never freed: threads may be reading it.
    std::atomic<const std::string *> m_stepMark{nullptr};
    /// CUDA may be recorded: no schedule, or its first warm-up has begun.
    std::atomic<bool> m_wantsCuda{false};
    std::atomic<bool> m_waits{false};     ///< start_after has not passed
    std::atomic<uint32_t> m_givenBack{0}; ///< changes when there may be memory again for threads without a log
    LossCounter m_refused;                ///< events of threads without a log
    const std::string m_recorder;         ///< folder of riffle-cli record, empty when the process does not run under it
    ControlServer m_server{*this};
    std::mutex m_control;  ///< start and stop, one at a time
    std::mutex m_dumping;  ///< one caller of dump() at a time
    std::mutex m_stepping; ///< guards the plan; never held while waiting
    StepPlan m_plan;
    std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_wake, m_done;
    std::vector<ThreadLog *> m_threads;
    uint32_t m_nextThread = 1;
    size_t m_bufferBytes = 0;
    uint64_t m_flushAsked = 0, m_flushDone = 0;
    std::string m_dumpTo, m_dumpError;
    bool m_stopping = false, m_ending = false; ///< asked for by the program; by a schedule, a limit or a message
    std::vector<StepPlan::Turn> m_turns;       ///< that the drain thread has not seen
    Options m_options;
    Statistics m_statistics;
    std::string m_cudaSaid, m_logError;
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
    int64_t m_lastFlush = 0, m_lastClock = 0, m_startTime = 0;
    bool m_toldSteps = false, m_owesWritten = false; ///< the recorder knows of steps; what began is not told as written
};

} // namespace riffle::collector
