// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"

#include <optional>

namespace riffle {

/// The running query: its task, how much it has read, and why it failed if the reason is unknown to SQLite.
struct QueryRun {
    static constexpr uint64_t kRowsBetweenLooks = 1 << 14;

    Task task;
    std::optional<Error> error;
    uint64_t rows = 0;              ///< rows looked at, in all scans
    const void *measured = nullptr; ///< the scan whose progress is reported: the first one

    bool stopped() const { return task.stopped(); }
};

} // namespace riffle
