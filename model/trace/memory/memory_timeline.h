// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/column.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The number of memory categories that torch.profiler distinguishes. In the order of its files, they are parameters,
/// optimizer state, inputs, temporary memory of one operator, activations, gradients, autograd details, and unknown.
inline constexpr size_t kTimelineCategories = 8;
/// "parameter", "optimizer_state", …
std::string_view timelineCategoryWord(size_t category);

/// The kinds of events in a raw timeline, with the numbers that torch.profiler gives them.
enum class TimelineAction : uint8_t { Preexisting = 1, Create = 2, IncrementVersion = 3, Destroy = 4 };
inline constexpr size_t kTimelineActions = 5; ///< including 0, which is not an action
std::string_view timelineActionWord(TimelineAction action);

/// A kind of problem in a file: how often it occurs, and where in the text it was first found.
struct FileTrouble {
    std::string what; ///< a noun in the plural, to be followed by a colon and the count
    uint64_t count = 0;
    uint64_t firstOffset = 0;
    uint64_t firstLine = 0; ///< from 1; 0 if lines are meaningless
};

/// Every memory event of a raw timeline, in the file's order.
struct TimelineEvents {
    static constexpr int64_t kBefore = -1; ///< the time of memory that existed before recording started

    Column<int64_t> time;   ///< Unix nanoseconds, or kBefore
    Column<int64_t> change; ///< bytes
    Column<TimelineAction> action;
    Column<uint8_t> category;

    size_t count() const { return time.size(); }
};

/// A memory timeline that torch.profiler exported: the bytes of each category after each time. A raw timeline also has
/// the events; consecutive events with the same time form one point, as in the profiler itself. It never changes once
/// it is read.
class MemoryTimeline {
public:
    enum class Form : uint8_t {
        Levels,  ///< [times in us, bytes by category]
        Events,  ///< raw: [time in ns, action, bytes, category]
        Picture, ///< a page with a picture of the curves, without numbers
    };
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr int64_t kMostBytes = int64_t(1) << 56; ///< larger levels cannot have been measured

    std::string path;
    std::string container; ///< "plain", "gzip", "zstd", "HTML"
    uint64_t fileBytes = 0;
    uint64_t textBytes = 0; ///< bytes of text that were read
    double loadSeconds = 0;
    Form form = Form::Levels;

    Column<int64_t> times; ///< Unix nanoseconds; for the point before recording, the earliest recorded time
    std::array<Column<int64_t>, kTimelineCategories> bytes; ///< after each time
    TimelineEvents events;
    std::string picture; ///< a PNG file
    std::vector<FileTrouble> troubles;
    std::optional<Error> damage; ///< why the file could not be read to its end; everything before that is here

    uint32_t points() const { return static_cast<uint32_t>(times.size()); }
    int64_t total(uint32_t point) const;
    /// Returns the first point with the largest total; kNone if there are no points.
    uint32_t peak() const;
    /// Returns the last point, in the file's order, that is not later than the time; the first one if all are later.
    uint32_t pointAt(int64_t unixNs) const;
};

} // namespace riffle
