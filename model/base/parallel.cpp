// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
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

void parallelWorkers(const std::function<void(unsigned)> &body)
{
    const unsigned count = workerCount();
    std::vector<std::jthread> threads;
    threads.reserve(count - 1);
    try {
        for (unsigned worker = 1; worker < count; ++worker)
            threads.emplace_back([&body, worker] { body(worker); });
    } catch (const std::system_error &) {
        // The system grants no more threads, so those that run (at least this one) do all the work.
    }
    body(0);
}

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
    parallelWorkers([&](unsigned) {
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
    });
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
