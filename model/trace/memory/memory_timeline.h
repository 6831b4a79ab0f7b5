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

/// What torch.profiler takes memory for, in the order of its files: parameters, optimizer state, inputs, temporary
/// memory of one operator, activations, gradients, detail of autograd, unknown.
inline constexpr size_t kTimelineCategories = 8;
/// "parameter", "optimizer_state", …
std::string_view timelineCategoryWord(size_t category);

/// The recorder's numbers.
enum class TimelineAction : uint8_t { Preexisting = 1, Create = 2, IncrementVersion = 3, Destroy = 4 };
inline constexpr size_t kTimelineActions = 5; ///< with 0, which is none
std::string_view timelineActionWord(TimelineAction action);

/// What is odd in a file, how often, and the byte of its text where it was found first.
struct FileTrouble {
    std::string what; ///< what ends a sentence that begins with a count
    uint64_t count = 0;
    uint64_t firstOffset = 0;
    uint64_t firstLine = 0; ///< from 1; 0 where lines mean nothing
};

/// Every memory event of a raw timeline, in the file's order.
struct TimelineEvents {
    static constexpr int64_t kBefore = -1; ///< was there before recording began

    Column<int64_t> time;   ///< Unix nanoseconds, or kBefore
    Column<int64_t> change; ///< bytes
    Column<TimelineAction> action;
    Column<uint8_t> category;

    size_t count() const { return time.size(); }
};

/// A memory timeline that torch.profiler exported: bytes of each category after each time. A raw one has the events,
/// too, of which those that stand behind each other with one time are one point, as the profiler itself puts them
/// together. Never changes once it is read.
class MemoryTimeline {
public:
    enum class Form : uint8_t {
        Levels,  ///< [times in us, bytes by category]
        Events,  ///< raw: [time in ns, action, bytes, category]
        Picture, ///< a page with a picture of the curves and no numbers
    };
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr int64_t kMostBytes = int64_t(1) << 56; ///< levels beyond are nothing that was measured

    std::string path;
    std::string container; ///< "plain", "gzip", "zstd", "HTML"
    uint64_t fileBytes = 0;
    uint64_t textBytes = 0; ///< as far as it was read
    double loadSeconds = 0;
    Form form = Form::Levels;

    Column<int64_t> times; ///< Unix nanoseconds; of the point that was there before, the earliest time recorded
    std::array<Column<int64_t>, kTimelineCategories> bytes; ///< after each time
    TimelineEvents events;
    std::string picture; ///< a PNG file
    std::vector<FileTrouble> troubles;
    std::optional<Error> damage; ///< why the file could not be read to its end; what stands before that is here

    uint32_t points() const { return static_cast<uint32_t>(times.size()); }
    int64_t total(uint32_t point) const;
    /// The first point of the largest total; kNone without points.
    uint32_t peak() const;
    /// The last point, in the file's order, that is not later than the time; the first where all are.
    uint32_t pointAt(int64_t unixNs) const;
};

} // namespace riffle
