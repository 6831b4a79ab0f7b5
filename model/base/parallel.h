// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace riffle {

/// Number of workers that parallelFor uses: the machine's, or what setWorkerCount() said.
unsigned workerCount();
/// 0 restores the machine's own number.
void setWorkerCount(unsigned count);

/// Calls body(index) for every index in [0, count), spread over workerCount() threads, and returns when all are done.
/// Indices are handed out in ascending order. When a body throws, no more are handed out, and the caller gets the first
/// exception when all have ended, as it would from a loop.
void parallelFor(size_t count, const std::function<void(size_t)> &body);

/// The same for ranges [first, last) of at most `most` indices, which together are [0, count).
void parallelRanges(size_t count, size_t most, const std::function<void(size_t first, size_t last)> &body);

/// Runs different jobs beside each other and returns when all are done; exceptions as in parallelFor. One after
/// another, in the order given, where there is one worker.
void parallelJobs(const std::vector<std::function<void()>> &jobs);

/// Runs body(worker) once on each of workerCount() threads, the caller's among them as worker 0, and joins them. Where
/// the machine gives fewer threads, the last workers never run: share work by taking it, not by worker. body must not
/// throw: the others might wait for it.
void parallelWorkers(const std::function<void(unsigned worker)> &body);

} // namespace riffle
