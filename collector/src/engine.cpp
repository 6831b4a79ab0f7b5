// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/engine.h"

#include "collector/src/clock.h"
#include "collector/src/dump_signal.h"
#include "collector/src/report.h"
#include "collector/src/sources/every_call.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr auto kPatience = std::chrono::seconds(5);

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

/// The duration of one reading of the clock: the shortest of some, because a longer one was interrupted.
double clockReadingNs()
{
    constexpr int kReadings = 64;
    int64_t least = INT64_MAX;
    for (int attempt = 0; attempt < 8; ++attempt) {
        const int64_t begin = now();
        for (int reading = 0; reading < kReadings - 1; ++reading)
            static_cast<void>(now());
        least = std::min(least, now() - begin);
    }
    return static_cast<double>(least) / kReadings;
}

std::string hexadecimal(const SessionId &id)
{
    std::string text;
    for (const uint8_t byte : id) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

Answer ioAnswer(const std::string &error) { return {error.empty() ? RIFFLE_OK : RIFFLE_EIO, error}; }

} // namespace

std::atomic<Engine *> Engine::s_engine{nullptr};

Engine::Engine() : m_recorder(variable("RIFFLE_RECORDER")) {}

Engine &Engine::get()
{
    Engine *engine = s_engine.load(std::memory_order_acquire);
    if (engine)
        return *engine;
    static const bool watchesForks = [] { return pthread_atfork(nullptr, nullptr, &Engine::forkedChild) == 0; }();
    (void)watchesForks;
    Engine *made = new Engine;
    if (s_engine.compare_exchange_strong(engine, made))
        return *made;
    delete made;
    return *engine;
}

void Engine::describeProcess(const Options &options)
{
    char host[256] = {}, path[4096] = {};
    gethostname(host, sizeof(host) - 1);
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    m_log.processInfo("host", host);
    m_log.processInfo("pid", std::to_string(getpid()));
    m_log.processInfo("executable", std::string_view(path, static_cast<size_t>(std::max<ssize_t>(0, length))));
    m_log.processInfo("preset", nameOf(options.preset));
    m_log.processInfo("collector", RIFFLE_VERSION);
    const auto number = [&](const char *key, int64_t value) {
        if (value >= 0)
            m_log.processInfo(key, std::to_string(value));
    };
    number("rank", options.rank);
    number("local_rank", options.localRank);
    number("world_size", options.worldSize);
    m_log.processInfo("shapes", "not recorded"); // until the first one comes
    m_log.processInfo("modules", "not recorded");
    m_saysStacks |= options.stacks != StacksWay::None; // what an earlier log said must not stand in this one
    if (m_saysStacks)
        m_log.processInfo("stacks",
                          options.stacks != StacksWay::None ? stacksSaid(options.stacks).text : "not requested");
}

Answer Engine::start(Options options)
{
    const auto launched = [](int64_t &value, int64_t said) { value = value >= 0 ? value : said; };
    launched(options.rank, launchedRank());
    launched(options.localRank, launchedLocalRank());
    launched(options.worldSize, launchedWorldSize());
    const Answer answer = begin(options);
    if (answer.code == RIFFLE_OK && options.control)
        if (const std::string problem = m_server.listen(); !problem.empty())
            tell("This recording cannot be controlled: " + problem + ".");
    return answer;
}

Answer Engine::restart(std::string_view changes)
{
    Options options;
    {
        std::scoped_lock lock(m_mutex);
        options = m_options;
    }
    options.paused = false;
    options.startAfter = options.maxSeconds = 0;
    options.schedule.reset();
    options.ranks.clear();
    std::string error;
    if (!readOptions(changes, options, error))
        return {RIFFLE_EINVAL, error};
    return begin(options);
}

Answer Engine::begin(const Options &options)
{
    std::scoped_lock control(m_control);
    if (follows())
        return {RIFFLE_ESTATE, "Recording has already been started."};
    if (m_thread.joinable()) // ended by a limit or an error
        m_thread.join();
    if (!options.includes(options.rank)) {
        std::scoped_lock lock(m_mutex);
        m_options = options;
        m_statistics.path.clear();
        m_state = State::LeftOut;
        m_server.notify();
        return {};
    }
    char host[256] = {};
    gethostname(host, sizeof(host) - 1);
    LogOptions log;
    log.folder = options.folder;
    log.label = std::string(host) + (options.rank >= 0 ? "_rank" + std::to_string(options.rank) : "") + "_" +
                std::to_string(getpid());
    log.keepNs = options.keepSeconds * 1'000'000'000;
    log.maxBytes = options.maxBytes;
    describeProcess(options);
    if (!m_log.open(log))
        return {RIFFLE_EIO, m_log.error()};
    if (options.dumpSignal && !watchDumpSignal(options.dumpSignal))
        return {RIFFLE_ESTATE, "dump_signal: The program has installed its own handler over the collector's."};
    std::scoped_lock locks(m_stepping, m_mutex);
    m_plan = StepPlan(options.schedule, options.slow);
    m_stepMark = options.stepMark.empty() ? nullptr : new std::string(options.stepMark);
    m_stacks = options.stacks;
    m_waits = options.startAfter > 0;
    // The totals of memory count from the first allocation, so memory must be recorded from the start.
    m_wantsCuda = (!options.schedule && !m_waits) || options.preset == Options::Preset::Memory;
    m_options = options;
    m_stopping = m_ending = m_toldSteps = false;
    m_dumpTo.clear(); // may be left from a dump that the previous log did not write in time
    m_owesWritten = options.maxSeconds > 0;
    m_startTime = now();
    m_begun = m_flushedAt = m_startTime;
    m_endedAt = 0;
    m_entryNs = 1.75 * clockReadingNs();
    m_turns.clear();
    m_cudaRefused = !options.cupti;
    m_cudaSaid = options.cupti ? "" : "not requested: no kernels are recorded";
    m_cudaWritten.clear();
    m_samplesWritten.clear();
    m_stacksWritten.clear();
    m_indexOfThread.clear();
    m_sampledLanes.clear();
    const uint32_t logs = m_statistics.committed.log;
    m_statistics = {};
    m_drain.restart(m_startTime);
    m_refused.take();
    m_gaps.take();
    m_pythonSamples.take(); // of a log that ended by its limit or an error
    ++m_givenBack;          // the memory limit may have changed
    m_logError.clear();
    m_statistics.path = m_log.path();
    m_statistics.session = hexadecimal(m_log.session());
    m_statistics.startNs = nanoseconds(CLOCK_REALTIME);
    m_statistics.committed = {m_log.bytesOfFile(), m_log.sequence(), logs + 1, State::Off, 0};
    for (const ThreadLog *thread : m_threads) // threads that an earlier log has seen
        m_log.thread(thread->index(), thread->osThread(), thread->name());
    m_cuda.keep(!options.paused && !options.schedule && !m_waits, true);
    m_pythonSamples.keep(!options.paused && !options.schedule && !m_waits);
    // The new thread must not take the signals that the program waits for.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::string problem;
    try {
        if (const int64_t period = samplePeriodMs(options))
            m_samples.start(period);
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &error) {
        problem = std::string("Cannot create the collector's thread: ") + error.what() + ".";
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!problem.empty()) {
        m_samples.stop();
        m_log.close();
        return {RIFFLE_EIO, problem};
    }
    m_isWarm = options.schedule && !options.stepMark.empty();
    const bool starts = !options.paused && !options.schedule && !m_waits;
    if (!starts)
        m_gaps.begins(wire::kEverything,
                      options.paused     ? "paused"
                      : options.schedule ? kUnscheduled
                                         : "waiting for start_after",
                      m_startTime);
    m_state = starts ? State::Recording : State::Paused;
    askAgent(options);
    m_server.notify();
    return {};
}

bool Engine::turnTo(State state, std::string_view pause)
{
    std::scoped_lock order(m_turning);
    State current = m_state;
    while (isFollowing(current))
        if (m_state.compare_exchange_weak(current, state)) {
            m_pythonSamples.keep(state == State::Recording);
            if (isFollowing(state))
                m_cuda.keep(state == State::Recording);
            if (state == State::Recording)
                m_gaps.ends(wire::kEverything, now());
            else if (!pause.empty())
                m_gaps.begins(wire::kEverything, pause, now());
            updateAgent();
            m_server.notify();
            return true;
        }
    return false;
}

Answer Engine::stop()
{
    std::scoped_lock control(m_control);
    if (!m_thread.joinable() && m_state != State::LeftOut)
        return {RIFFLE_ESTATE, "Recording has not been started."};
    {
        std::scoped_lock lock(m_mutex);
        m_stopping = true;
        turnTo(State::Off);
    }
    m_wake.notify_all();
    if (m_thread.joinable())
        m_thread.join();
    m_state = State::Off;
    updateAgent();
    forgetDumpSignal();
    std::scoped_lock lock(m_mutex);
    return ioAnswer(m_log.error());
}

Answer Engine::end()
{
    std::scoped_lock control(m_control);
    std::unique_lock lock(m_mutex);
    if (!turnTo(State::Paused))
        return {RIFFLE_ESTATE, "Recording has not been started."};
    m_ending = true;
    m_wake.notify_all();
    if (!m_done.wait_for(lock, kPatience, [&] { return !follows(); }))
        return {RIFFLE_EIO, "The log was not closed in time."};
    return ioAnswer(m_log.error());
}

Answer Engine::pause(bool paused)
{
    std::scoped_lock control(m_control);
    if (m_state == State::Ended || m_state == State::LeftOut)
        return {}; // the program need not know that the recording has ended
    if (!follows())
        return {RIFFLE_ESTATE, "Recording has not been started."};
    std::scoped_lock lock(m_stepping);
    m_plan.release();
    m_waits = m_isWarm = false;
    m_wantsCuda = true;
    turnTo(paused ? State::Paused : State::Recording, paused ? "paused" : "");
    return {};
}

Answer Engine::flush()
{
    std::unique_lock lock(m_mutex);
    if (m_state == State::LeftOut)
        return {};
    if (!follows())
        return {RIFFLE_ESTATE, m_state == State::Ended ? "The log has ended." : "Recording has not been started."};
    const uint64_t asked = ++m_flushAsked;
    m_wake.notify_all();
    if (!m_done.wait_for(lock, kPatience, [&] { return m_flushDone >= asked || !follows(); }))
        return {RIFFLE_EIO, "The log was not written in time."};
    if (m_flushDone < asked && m_logError.empty())
        return {RIFFLE_ESTATE, "The log has ended."};
    return ioAnswer(m_logError);
}

Answer Engine::dump(const std::string &folder)
{
    std::scoped_lock order(m_dumping);
    if (!follows())
        return {RIFFLE_ESTATE, "Recording has not been started."};
    if (const Answer flushed = flush(); flushed.code != RIFFLE_OK)
        return flushed;
    std::unique_lock lock(m_mutex);
    m_dumpTo = folder;
    m_dumpError = "The log was not linked in time.";
    m_wake.notify_all();
    m_done.wait_for(lock, kPatience, [&] { return m_dumpTo.empty() || !follows(); });
    return ioAnswer(m_dumpError);
}

void Engine::tell(const std::string &sentence)
{
    int64_t rank = -1;
    {
        std::scoped_lock lock(m_mutex);
        if (m_options.quiet)
            return;
        rank = m_options.rank;
    }
    say(rank, sentence);
}

} // namespace riffle::collector
