// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/agent_channel.h"
#include "collector/src/control_server.h"
#include "collector/src/drain.h"
#include "collector/src/gap_queue.h"
#include "collector/src/options.h"
#include "collector/src/sources/cuda_activity.h"
#include "collector/src/sources/process_samples.h"
#include "collector/src/sources/python_samples.h"
#include "collector/src/sources/python_stacks.h"
#include "collector/src/step_plan.h"
#include "collector/src/thread_log.h"

#include "riffle/collector.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

using control::State;

/// Why nothing is recorded between the cycles of a schedule.
inline constexpr const char *kUnscheduled = "not selected by the schedule";

/// The result of a call: code 0 and no error, or a RIFFLE_E… code and the message.
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
    std::string path, session;
    std::string error;   ///< why the recording ended, if it was an error
    int64_t startNs = 0; ///< start of the recording, in ns since 1970
    int64_t lagNs = 0;
    uint64_t entries = 0, collectorNs = 0, programNs = 0, elapsedNs = 0, stepNs = 0;
    std::map<std::string, uint64_t, std::less<>> reasons; ///< dropped events for each reason
};

/// The collector of a process. There is one per process, created when it is first needed and never destroyed, because
/// threads may use it while the process ends. The child of a fork has none until it needs one.
class Engine {
public:
    static Engine &get();
    /// The engine, or null if nothing was ever started in this process. Every event checks this first.
    static Engine *existing() { return s_engine.load(std::memory_order_acquire); }

    /// Starts recording. Ranks that the options do not set are taken from the launcher's variables.
    Answer start(Options options);
    /// Starts again with the options of the last start, without its schedule and limits, modified by `changes`: lines
    /// as for riffle_start().
    Answer restart(std::string_view changes);
    Answer stop();
    /// Changes a recording while it runs: its schedule, ranks, preset, and what is wanted from the Python part. A new
    /// preset ends the log and starts another one.
    Answer change(std::string_view changes);
    /// Ends the recording on behalf of another process; the program's own stop is still expected.
    Answer end();
    /// Pauses or resumes; this also ends the schedule and start_after.
    Answer pause(bool paused);
    Answer flush();
    Answer dump(const std::string &folder);
    /// Starts recording CUDA if possible. The best time is while the CUDA driver starts (`driverStarts`).
    void armCuda(bool driverStarts = false);
    /// Leaves CUPTI to another user until resumeCuda() has been called as many times.
    Answer yieldCuda();
    Answer resumeCuda();
    Answer willYieldCuda();
    Statistics statistics();
    /// The fixed part of a Hello about the process and its recording.
    control::HelloPart hello();
    /// The options of the recording that a Hello names, as lines of KEY=VALUE.
    std::string helloLines();
    ControlServer &controlServer() { return m_server; }
    AgentChannel &agent() { return m_agent; }
    /// Prints a line on stderr, unless the option `quiet` is set. Only for threads of the collector.
    void tell(const std::string &sentence);

    /// Starts a step of the program; a negative number only ends the open step. Does nothing if ranges mark the steps.
    void step(int64_t number);
    /// Must be called for every range that starts, from any source and whether or not it is recorded: it may mark a
    /// step.
    void began(std::string_view name)
    {
        if (const std::string *mark = m_stepMark.load(std::memory_order_acquire)) [[unlikely]]
            if (follows() && isStepMark(name, *mark))
                beginStep(std::nullopt);
    }

    bool follows() const { return isFollowing(m_state.load(std::memory_order_relaxed)); }
    bool records() const { return m_state.load(std::memory_order_relaxed) == State::Recording; }
    /// The interpreter, if the Python stacks of operators are wanted and can be read; otherwise null.
    PythonRuntime *pythonStacks() const
    {
        return m_stacks.load(std::memory_order_relaxed) == StacksWay::Operators ? attachedPython() : nullptr;
    }
    /// The calling thread's log; null while there is no memory for it.
    ThreadLog *threadLog();
    /// The calling thread's log if it has got one already; null otherwise.
    ThreadLog *knownLog() const;
    /// Counts an event of a thread that has no log.
    void lose();

    static void threadEnded(void *log);
    static void forkedChild();

private:
    Engine();
    static bool isFollowing(State state) { return state == State::Recording || state == State::Paused; }
    static bool isStepMark(std::string_view name, const std::string &mark);
    Answer begin(const Options &options);
    /// Changes the state, unless the recording has ended. `pause` is the reason for a pause that the log says.
    bool turnTo(State state, std::string_view pause = {});
    void beginStep(std::optional<int64_t> number);
    ThreadLog *addThread();
    void run();
    bool tick(size_t &bytes);
    bool isTimeUp(int64_t time);
    bool isScheduled();
    void tellTurns(const std::vector<StepPlan::Turn> &turns);
    void tellWritten(const std::string &what);
    void dumpBecause(const std::string &why);
    void publish();
    void retire(ThreadLog *thread);
    void watchCuda();
    void takeSamples();
    void sayStacks();
    void followPythonSamples(bool ends);
    void takePythonSamples();
    uint32_t sampledLane(uint32_t osThread);
    void writeGaps();
    uint32_t threadOf(uint32_t osThread);
    void describeProcess(const Options &options);
    Answer changeInPlace(const Options &options, bool reschedules);
    void askAgent(const Options &options);
    void updateAgent();

    static std::atomic<Engine *> s_engine;

    std::atomic<State> m_state{State::Off};
    /// The name of the ranges that start steps; null if riffle_step() marks the steps. Never freed, because threads may
    /// be reading it.
    std::atomic<const std::string *> m_stepMark{nullptr};
    /// True if CUDA may be recorded: there is no schedule, or its first warm-up has started.
    std::atomic<bool> m_wantsCuda{false};
    std::atomic<StacksWay> m_stacks{StacksWay::None};
    std::atomic<bool> m_waits{false};     ///< start_after has not elapsed yet
    std::atomic<uint32_t> m_givenBack{0}; ///< changes when there may be memory again for threads without a log
    LossCounter m_refused;                ///< lost events of threads without a log
    std::mutex m_turning;                 ///< keeps gaps in the order of the changes of state
    GapQueue m_gaps;
    const std::string m_recorder; ///< folder for reports to riffle-cli record; empty if we do not run under it
    ControlServer m_server{*this};
    AgentChannel m_agent{[this] { m_server.wake(); }};
    std::mutex m_asking;          ///< guards m_asked
    AgentChannel::Wishes m_asked; ///< what the options ask of the Python part while the recording needs it
    /// True while paused if operators are wanted nevertheless: a warm-up, or their ranges mark the steps.
    std::atomic<bool> m_isWarm{false};
    std::recursive_mutex m_control;       ///< serializes start, stop and changes, which may consist of both
    std::atomic<bool> m_continues{false}; ///< the log ends because another one follows it at once
    std::mutex m_dumping;                 ///< serializes dump()
    std::mutex m_stepping;                ///< guards the plan; never held while waiting
    StepPlan m_plan;
    std::mutex m_mutex; ///< guards the members below, up to those of the drain thread
    std::condition_variable m_wake, m_done;
    std::vector<ThreadLog *> m_threads;
    uint32_t m_nextThread = 1;
    size_t m_bufferBytes = 0;
    uint64_t m_flushAsked = 0, m_flushDone = 0;
    std::string m_dumpTo, m_dumpError;
    bool m_stopping = false;             ///< the program has requested the end
    bool m_ending = false;               ///< a schedule, a limit or a control message has requested the end
    std::vector<StepPlan::Turn> m_turns; ///< turns that the drain thread has not processed yet
    Options m_options;
    Statistics m_statistics;
    std::atomic<int64_t> m_begun{0}, m_flushedAt{0}, m_endedAt{0}; ///< the start, the last complete write and the end
    std::string m_cudaSaid, m_logError;
    bool m_cudaRefused = false, m_cudaGuarded = false;
    std::thread m_thread;

    // Used by the drain thread only.
    LogWriter m_log;
    Drain m_drain{m_log};
    std::vector<ThreadLog *> m_known;
    CudaActivity m_cuda{m_log, m_gaps, [this](uint32_t osThread) { return threadOf(osThread); }};
    std::unordered_map<uint32_t, uint32_t> m_indexOfThread; ///< log index of the threads that CUPTI names, by OS thread
    ProcessSamples m_samples;
    PythonSamples m_pythonSamples;
    std::unordered_map<uint32_t, uint32_t> m_sampledLanes; ///< log index of the lanes with samples, by OS thread
    std::string m_sampleProblem;                           ///< why there is no thread that samples
    uint64_t m_samplesSaid = 0;                            ///< the number of samples that the log knows
    uint32_t m_osThread = 0;                               ///< OS thread id of the drain thread
    std::string m_cudaWritten, m_samplesWritten, m_stacksWritten;
    bool m_saysStacks = false;
    double m_entryNs = 0; ///< estimated duration of one entry on a thread of the program
    int64_t m_lastFlush = 0, m_lastClock = 0, m_startTime = 0;
    bool m_toldSteps = false;   ///< the recorder has been notified that there are steps
    bool m_owesWritten = false; ///< a message said that recording started, but none yet that it was written
};

} // namespace riffle::collector
