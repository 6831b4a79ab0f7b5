// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace riffle {

// All these functions share one pool of threads. The caller works along and takes what no thread of the pool takes. So
// they may be nested, and a caller never waits for the work of another one.

/// Returns the number of workers that parallelFor() uses: the number of hardware threads, unless setWorkerCount() has
/// changed it.
unsigned workerCount();
/// 0 restores the number of hardware threads.
void setWorkerCount(unsigned count);

/// Calls body(index) for every index in [0, count) on workerCount() threads, and returns when all calls are done.
/// Indices are handed out in ascending order. If a body throws, no more indices are handed out, and the caller gets the
/// first exception once all workers have ended. All threads have the caller's StopScope; once it is stopped, no more
/// indices are handed out, and the caller gets Stopped.
void parallelFor(size_t count, const std::function<void(size_t)> &body);

/// Like parallelFor(), but for ranges [first, last) of at most `most` indices that together cover [0, count).
void parallelRanges(size_t count, size_t most, const std::function<void(size_t first, size_t last)> &body);

/// Runs the jobs in parallel and returns when all are done; exceptions are handled as in parallelFor(). With one
/// worker, the jobs run one after another in the given order.
void parallelJobs(const std::vector<std::function<void()>> &jobs);

/// Runs body(worker) once on each of up to workerCount() threads, including the caller's as worker 0, and waits for
/// them. For long work; it leaves threads for the other functions. Workers take part as threads become free, some
/// perhaps late or never, so they must take work from a shared queue instead of dividing it by worker number. body must
/// not throw, because other workers might wait for it.
void parallelWorkers(const std::function<void(unsigned worker)> &body);

/// During its lifetime, this thread waits for the result of another one. The functions above may use one more thread
/// for as long, so that a thread of the pool that waits is no core without work.
class WaitScope {
public:
    WaitScope();
    ~WaitScope();
    WaitScope(const WaitScope &) = delete;
    WaitScope &operator=(const WaitScope &) = delete;
};

} // namespace riffle
