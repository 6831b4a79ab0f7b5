// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/engine.h"

#include "collector/src/clock.h"

#include <chrono>
#include <csignal>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

constexpr auto kPatience = std::chrono::seconds(5);

/// The thread's log and the engine that made it: a child of a fork has another one.
struct Slot {
    Engine *engine = nullptr;
    ThreadLog *log = nullptr;
};
thread_local Slot t_slot;

pthread_key_t endKey()
{
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        pthread_key_create(&made, &Engine::threadEnded);
        return made;
    }();
    return key;
}

Answer ioAnswer(const std::string &error) { return {error.empty() ? RIFFLE_OK : RIFFLE_EIO, error}; }

} // namespace

std::atomic<Engine *> Engine::s_engine{nullptr};

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

void Engine::forkedChild()
{
    // The parent's engine may be locked in the middle of anything: it is left as it is.
    s_engine.store(nullptr, std::memory_order_release);
    t_slot = {};
}

void Engine::threadEnded(void *log)
{
    static_cast<ThreadLog *>(log)->finished.store(true, std::memory_order_release);
    t_slot = {};
}

ThreadLog *Engine::threadLog()
{
    if (t_slot.engine == this) [[likely]]
        return t_slot.log;
    return addThread();
}

ThreadLog *Engine::addThread()
{
    t_slot.engine = this; // without memory it stays without a log
    t_slot.log = nullptr;
    const int osThread = static_cast<int>(syscall(SYS_gettid));
    std::scoped_lock lock(m_mutex);
    Ring *ring = nullptr;
    if (m_bufferBytes + m_options.ringBytes <= m_options.memoryLimit)
        ring = Ring::create(m_options.ringBytes);
    if (!ring) {
        ++m_refused;
        return nullptr;
    }
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof(name));
    ThreadLog *log = new (std::nothrow) ThreadLog(ring, m_nextThread, osThread, name);
    if (!log) {
        ring->destroy();
        ++m_refused;
        return nullptr;
    }
    ++m_nextThread;
    m_bufferBytes += ring->capacity();
    m_threads.push_back(log);
    t_slot.log = log;
    pthread_setspecific(endKey(), log);
    log->add(RecordKind::ThreadName, nullptr, name, {}, 0, static_cast<uint64_t>(osThread));
    return log;
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
}

Answer Engine::start(const Options &wanted)
{
    std::scoped_lock control(m_control);
    if (follows())
        return {RIFFLE_ESTATE, "already started"};
    if (m_thread.joinable()) // ended by a limit or an error
        m_thread.join();
    Options options = wanted;
    options.rank = options.rank >= 0 ? options.rank : launchedRank();
    options.localRank = options.localRank >= 0 ? options.localRank : launchedLocalRank();
    options.worldSize = options.worldSize >= 0 ? options.worldSize : launchedWorldSize();
    char host[256] = {};
    gethostname(host, sizeof(host) - 1);
    LogOptions log;
    log.folder = options.folder;
    log.label = std::string(host) + (options.rank >= 0 ? "_rank" + std::to_string(options.rank) : "") + "_" + std::to_string(getpid());
    log.keepNs = options.keepSeconds * 1'000'000'000;
    log.maxBytes = options.maxBytes;
    describeProcess(options);
    if (!m_log.open(log))
        return {RIFFLE_EIO, m_log.error()};
    std::scoped_lock lock(m_mutex);
    m_options = options;
    m_stopping = false;
    m_cudaRefused = !options.cupti;
    m_cudaSaid = options.cupti ? "" : "not asked for: no kernels are recorded";
    m_cudaWritten.clear();
    m_samplesWritten.clear();
    m_indexOfThread.clear();
    m_statistics = {};
    m_drain.restart();
    m_statistics.path = m_log.path();
    for (const ThreadLog *thread : m_threads) // seen by an earlier log
        m_log.thread(thread->index(), thread->osThread(), thread->name());
    m_state = static_cast<int>(options.paused ? State::Paused : State::Recording);
    m_cuda.keep(!options.paused, true);
    // The thread must not take the signals that the program waits for.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (const int64_t period = samplePeriodMs(options))
        m_samples.start(period);
    m_thread = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
}

Answer Engine::stop()
{
    std::scoped_lock control(m_control);
    if (!m_thread.joinable())
        return {RIFFLE_ESTATE, "not started"};
    {
        std::scoped_lock lock(m_mutex);
        m_stopping = true;
        if (follows())
            m_state = static_cast<int>(State::Off);
    }
    m_wake.notify_all();
    m_thread.join();
    m_state = static_cast<int>(State::Off);
    std::scoped_lock lock(m_mutex);
    return ioAnswer(m_log.error());
}

Answer Engine::pause(bool paused)
{
    std::scoped_lock control(m_control);
    if (!follows())
        return {RIFFLE_ESTATE, "not started"};
    m_state = static_cast<int>(paused ? State::Paused : State::Recording);
    m_cuda.keep(!paused);
    return {};
}

Answer Engine::flush()
{
    std::unique_lock lock(m_mutex);
    if (!follows())
        return {RIFFLE_ESTATE, "not started"};
    const uint64_t asked = ++m_flushAsked;
    m_wake.notify_all();
    if (!m_done.wait_for(lock, kPatience, [&] { return m_flushDone >= asked || !follows(); }))
        return {RIFFLE_EIO, "the log was not written in time"};
    if (m_flushDone < asked && m_log.error().empty())
        return {RIFFLE_ESTATE, "the log has ended"};
    return ioAnswer(m_log.error());
}

Answer Engine::dump(const std::string &folder)
{
    if (const Answer flushed = flush(); flushed.code != RIFFLE_OK)
        return flushed;
    std::unique_lock lock(m_mutex);
    m_dumpTo = folder;
    m_dumpError = "the log was not linked in time";
    m_wake.notify_all();
    m_done.wait_for(lock, kPatience, [&] { return m_dumpTo.empty() || !follows(); });
    return ioAnswer(m_dumpError);
}

Statistics Engine::statistics()
{
    std::scoped_lock lock(m_mutex);
    Statistics now = m_statistics;
    now.state = static_cast<State>(m_state.load());
    now.bufferBytes = m_bufferBytes;
    now.threads = m_nextThread - 1;
    now.dropped += m_refused;
    return now;
}

} // namespace riffle::collector
