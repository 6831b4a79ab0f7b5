// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

namespace riffle {

namespace {
std::atomic<unsigned> g_workerCount{0};
}

unsigned workerCount()
{
    const unsigned chosen = g_workerCount.load(std::memory_order_relaxed);
    return chosen ? chosen : std::max(1u, std::thread::hardware_concurrency());
}

void setWorkerCount(unsigned count) { g_workerCount.store(count, std::memory_order_relaxed); }

namespace {

/// A loop whose caller works on it. Threads of the pool join it while it is open.
struct Loop {
    Loop(const std::function<void(unsigned)> &work, size_t loopKind, unsigned most)
        : body(work)
        , kind(loopKind)
        , mostJoined(most)
        , root(t_inside ? t_inside->root : this)
    {
    }

    const std::function<void(unsigned)> &body;
    const size_t kind;
    const unsigned mostJoined;
    const Loop *const root;       ///< the outermost loop around this one; the loop itself if there is none
    unsigned joined = 0;          ///< threads that have joined so far
    unsigned inside = 0;          ///< those of them that have not left yet
    Loop *older = nullptr;        ///< the next one in the pool's list
    std::condition_variable left; ///< the last thread inside has left

    inline static thread_local const Loop *t_inside = nullptr; ///< the innermost loop that this thread works on
};

/// The threads of the process that work on loops beside their callers. Short loops and long ones (parallelWorkers())
/// have workerCount() - 1 threads each, so that an import takes no thread from painting. Short ones have one more for
/// each thread that waits for another one.
class ThreadPool {
public:
    static constexpr size_t kShort = 0, kLong = 1, kKinds = 2;

    static ThreadPool &only();

    /// Works on the loop until body(0) has returned and all threads that joined have left. They hold up no loop that
    /// they have not joined, and while it waits, this thread does nothing else. So every loop that somebody waits for
    /// is worked on, and loops may be nested. Another thread may work in place of one that waits.
    void run(Loop &loop)
    {
        open(loop);
        work(loop, 0);
        close(loop);
    }

    void beginWaiting()
    {
        {
            const std::scoped_lock lock(m_mutex);
            ++m_waiting;
            startThreads();
        }
        m_opened.notify_one();
    }

    void endWaiting()
    {
        const std::scoped_lock lock(m_mutex);
        --m_waiting;
    }

private:
    static void work(const Loop &loop, unsigned worker)
    {
        const Loop *const outer = std::exchange(Loop::t_inside, &loop);
        loop.body(worker);
        Loop::t_inside = outer;
    }

    void open(Loop &loop)
    {
        {
            const std::scoped_lock lock(m_mutex);
            loop.older = std::exchange(m_newest, &loop);
            startThreads();
        }
        for (unsigned number = 0; number < loop.mostJoined; ++number)
            m_opened.notify_one();
    }

    /// Starts the threads that the open loops can use.
    void startThreads()
    {
        std::array<unsigned, kKinds> wanted{};
        for (const Loop *one = m_newest; one; one = one->older)
            wanted[one->kind] = std::min(mostThreads(one->kind), wanted[one->kind] + one->mostJoined);
        try {
            for (; m_threads < wanted[kShort] + wanted[kLong]; ++m_threads)
                std::thread([this] { live(); }).detach();
        } catch (const std::exception &) {
            // There is no room for more threads, so those that run (at least this one) do all the work.
        }
    }

    void close(Loop &loop)
    {
        std::unique_lock lock(m_mutex);
        Loop **link = &m_newest;
        while (*link != &loop)
            link = &(*link)->older;
        *link = loop.older;
        if (loop.inside == 0)
            return;
        ++m_waiting; // for the loops inside those that still work on this one
        startThreads();
        m_opened.notify_one();
        loop.left.wait(lock, [&] { return loop.inside == 0; });
        --m_waiting;
    }

    /// The life of a thread of the pool.
    void live()
    {
        std::unique_lock lock(m_mutex);
        while (true) {
            Loop *loop = joinable();
            if (!loop) {
                m_opened.wait(lock);
                continue;
            }
            const unsigned worker = ++loop->joined;
            ++loop->inside;
            ++m_working[loop->kind];
            lock.unlock();
            work(*loop, worker);
            lock.lock();
            --m_working[loop->kind];
            if (--loop->inside == 0)
                loop->left.notify_one();
        }
    }

    /// The loop that a thread should join; null if there is none. What was asked last goes first, so that painting
    /// seldom waits for an analysis. Of loops inside one another, the outermost goes first, because its pieces are the
    /// longest: those of the inner ones fill the gaps at its end.
    Loop *joinable() const
    {
        Loop *found = nullptr;
        for (Loop *loop = m_newest; loop; loop = loop->older)
            if (loop->joined < loop->mostJoined && m_working[loop->kind] < mostThreads(loop->kind) &&
                (!found || loop->root == found->root))
                found = loop;
        return found;
    }

    unsigned mostThreads(size_t kind) const { return workerCount() - 1 + (kind == kShort ? m_waiting : 0); }

    std::mutex m_mutex; ///< guards the members below and those of the open loops
    std::condition_variable m_opened;
    Loop *m_newest = nullptr;
    unsigned m_threads = 0;
    unsigned m_waiting = 0;                   ///< threads in a WaitScope, or in close()
    std::array<unsigned, kKinds> m_working{}; ///< per kind, the threads inside loops
};

/// The pool lives in memory that is never destroyed, because its threads wait in it while the process ends.
alignas(ThreadPool) std::byte g_poolMemory[sizeof(ThreadPool)];

ThreadPool &ThreadPool::only()
{
    static ThreadPool *const pool = [] {
        // A forked process has none of the threads, so it starts with a new pool.
        pthread_atfork(nullptr, nullptr, [] { new (g_poolMemory) ThreadPool; });
        return new (g_poolMemory) ThreadPool;
    }();
    return *pool;
}

void runLoop(const std::function<void(unsigned)> &body, size_t kind, size_t mostWorkers)
{
    const auto workers = static_cast<unsigned>(std::min<size_t>(mostWorkers, workerCount()));
    if (workers < 2)
        return body(0);
    Loop loop{body, kind, workers - 1};
    ThreadPool::only().run(loop);
}

} // namespace

WaitScope::WaitScope() { ThreadPool::only().beginWaiting(); }

WaitScope::~WaitScope() { ThreadPool::only().endWaiting(); }

void parallelWorkers(const std::function<void(unsigned)> &body) { runLoop(body, ThreadPool::kLong, workerCount()); }

void parallelFor(size_t count, const std::function<void(size_t)> &body)
{
    if (count < 2 || workerCount() == 1) {
        for (size_t index = 0; index < count; ++index) {
            throwIfStopped();
            body(index);
        }
        return;
    }
    const std::stop_token stop = StopScope::current();
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto work = [&](unsigned) {
        const StopScope scope(stop);
        try {
            for (size_t index = next++; index < count; index = next++) {
                throwIfStopped();
                body(index);
            }
        } catch (...) {
            next = count;
            std::scoped_lock lock(mutex);
            if (!thrown)
                thrown = std::current_exception();
        }
    };
    runLoop(work, ThreadPool::kShort, count);
    if (thrown)
        std::rethrow_exception(thrown);
}

void parallelRanges(size_t count, size_t most, const std::function<void(size_t, size_t)> &body)
{
    assert(most > 0);
    parallelFor((count + most - 1) / most,
                [&](size_t range) { body(range * most, std::min(count, (range + 1) * most)); });
}

void parallelJobs(const std::vector<std::function<void()>> &jobs)
{
    parallelFor(jobs.size(), [&](size_t job) { jobs[job](); });
}

} // namespace riffle
