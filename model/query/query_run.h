// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"

#include <optional>

namespace riffle {

/// The query that runs: who may stop it, what it has read, and why it failed where SQLite cannot know.
struct QueryRun {
    static constexpr uint64_t kRowsBetweenLooks = 1 << 14;

    Task task;
    std::optional<Error> error;
    uint64_t rows = 0;              ///< looked at, in all scans
    const void *measured = nullptr; ///< the scan that the progress is that of: the first one

    bool stopped() const { return task.stopped(); }
};

} // namespace riffle
