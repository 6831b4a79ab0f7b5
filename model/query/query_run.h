// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"

#include <chrono>
#include <optional>

namespace riffle {

/// The error of a query that needs more memory than it may use.
Error memoryLimitError(uint64_t bytes);

/// The running query: its task, how much it has read, and why it failed if the reason is unknown to SQLite.
struct QueryRun {
    static constexpr uint64_t kRowsBetweenLooks = 1 << 14;

    Task task;
    std::optional<Error> error;
    uint64_t rows = 0;              ///< rows looked at, in all scans
    const void *measured = nullptr; ///< the scan whose progress is reported: the first one
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    uint64_t mostBytes = UINT64_MAX; ///< of the rows that a scan puts in order

    bool late() const { return std::chrono::steady_clock::now() >= deadline; }
    bool stopped() const { return task.stopped() || late(); }
};

} // namespace riffle
