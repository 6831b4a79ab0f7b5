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

/// Options that the user can choose when opening a trace.
struct ImportOptions {
    std::optional<TimeSpan> range;      ///< keep only this part; ns after the trace's first event
    std::optional<TimeSpan> steps;      ///< keep only the steps with numbers in [begin, end]
    uint64_t memoryLimit = 4ull << 30;  ///< bytes of anonymous memory for columns; beyond that they go to a file
    bool isLimitShared = false;         ///< the limit is for the large arrays of the whole process (memoryInUse())
    uint64_t inflateLimit = 1ull << 40; ///< a gzip or zstd file that inflates to more bytes is refused
    std::string spillFolder;            ///< where columns beyond the limit go; empty: the system's temporary folder
    /// Receives the places of the texts of events that have no row (TraceBuilder::collectRowless). Not owned; may be
    /// null.
    std::vector<TextPlace> *rowless = nullptr;
    /// Called by a worker from time to time with the share of time that each lane has been busy so far; may be null.
    std::function<void(const struct LoadPreview &)> preview;
};

/// Returns memory for a trace's columns, within the options' limit.
std::shared_ptr<ColumnMemory> columnMemory(const ImportOptions &options);

/// A rough picture of a file that is still being read: the share of each time bin that each lane covers.
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

/// A trace whose source is still being written. Each step reads what is new and gives the next generation of the trace,
/// in which all ids are the same as before. Used by one thread at a time; generations may be read by others.
class GrowingSource {
public:
    virtual ~GrowingSource() = default;
    /// Reads what is new, at most about so many bytes, and returns the trace as it is now; null if nothing is new. An
    /// Error of kind Limit says that there are no ids left, and one of kind Changed that something else was written
    /// over what was read; in both cases, the source can be opened again.
    virtual Result<std::shared_ptr<const Trace>> next(uint64_t mostBytes) = 0;
    /// True if the writer has ended the source, and all of it was read.
    virtual bool isFinished() const = 0;
    /// True if there is more that was not read yet.
    virtual bool isBehind() const = 0;
    /// Up to when the trace is complete, in its own time; nothing if the source does not say.
    virtual std::optional<Ns> settled() const = 0;
};

/// Reads a trace file of any known format into sealed columns. Synchronous; obeys the task's stop token.
Result<std::shared_ptr<const Trace>> importTrace(const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
