// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/importer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace riffle {

/// The size and the cost of a trace, estimated from its start before it is read.
struct TraceEstimate {
    uint64_t textBytes = 0;           ///< of the inflated text
    double seconds = 0;               ///< to read all of it
    uint64_t memoryBytes = 0;         ///< for its columns
    std::optional<int64_t> firstStep; ///< the lowest number of a step near the start; nothing if there is none
};

/// Reads the first `headBytes` of a trace's text and measures the time and the memory that this takes. The text is
/// copied to a folder in `cache` meanwhile. Fails for folders, and if the start cannot be read as a trace.
Result<TraceEstimate> estimateTrace(const std::string &path, const ImportOptions &options, const std::string &cache,
                                    uint64_t headBytes, const Task &task);

} // namespace riffle
