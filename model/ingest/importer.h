// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

class ColumnMemory;

/// What the user may choose when opening.
struct ImportOptions {
    std::optional<TimeSpan> range;      ///< keep only this part; ns after the trace's first event
    std::optional<TimeSpan> steps;      ///< keep only steps [begin, end] by their number
    uint64_t memoryLimit = 4ull << 30;  ///< bytes of anonymous memory for columns; beyond it they go to a file
    uint64_t inflateLimit = 1ull << 40; ///< inflated bytes at which a gzip or zstd file is refused
    std::string spillFolder;            ///< where columns go beyond the limit; empty: the system's temporary folder
    /// Filled with where the texts of events stand that are no row's (TraceBuilder::collectRowless). Not owned, may be
    /// null.
    std::vector<TextPlace> *rowless = nullptr;
    /// Called now and then, from a worker, with how busy each lane is so far; may be null.
    std::function<void(const struct LoadPreview &)> preview;
};

/// Memory for a trace's columns, within the options' limit.
std::shared_ptr<ColumnMemory> columnMemory(const ImportOptions &options);

/// A rough picture of a file that is still being read: how much of each time bin every lane covers.
struct LoadPreview {
    static constexpr size_t kBins = 2048;
    struct PreviewLane {
        std::string name;
        bool stream = false;
        std::vector<float> busy; ///< kBins values in [0, 1]
    };
    TimeSpan span;
    std::vector<PreviewLane> lanes;
};

/// Reads a trace file of any known format into sealed columns. Synchronous; obeys the task's stop token.
Result<std::shared_ptr<const Trace>> importTrace(const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
