// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"
#include "collector/src/sources/every_call.h"

#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

/// The thread's log and the engine that created it: the child of a fork has another engine.
struct Slot {
    Engine *engine = nullptr;
    ThreadLog *log = nullptr;
    uint32_t refusedAt = 0; ///< without a log: the value of m_givenBack when memory was refused
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

} // namespace

void Engine::forkedChild()
{
    // Any lock of the parent's engine may be held, so the engine is left as it is.
    if (Engine *parents = s_engine.exchange(nullptr))
        parents->m_server.closeInChild();
    AgentChannel::withdraw();
    forkedPythonStacks();
    forkedEveryCall();
    t_slot = {};
}

void Engine::threadEnded(void *log)
{
    static_cast<ThreadLog *>(log)->finished.store(true, std::memory_order_release);
    t_slot = {};
}

ThreadLog *Engine::threadLog()
{
    if (t_slot.engine == this && (t_slot.log || t_slot.refusedAt == m_givenBack.load(std::memory_order_relaxed)))
        [[likely]]
        return t_slot.log;
    return addThread();
}

ThreadLog *Engine::knownLog() const { return t_slot.engine == this ? t_slot.log : nullptr; }

void Engine::lose()
{
    if (records())
        m_refused.add(now());
}

ThreadLog *Engine::addThread()
{
    t_slot = {this, nullptr, m_givenBack}; // without memory, the thread has no log until some memory is freed
    const int osThread = static_cast<int>(syscall(SYS_gettid));
    std::scoped_lock lock(m_mutex);
    Ring *ring = nullptr;
    if (m_bufferBytes + m_options.ringBytes <= m_options.memoryLimit)
        ring = Ring::create(m_options.ringBytes);
    if (!ring)
        return nullptr;
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof(name));
    ThreadLog *log = new (std::nothrow) ThreadLog(ring, m_nextThread, osThread, name);
    if (!log) {
        ring->destroy();
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

} // namespace riffle::collector
