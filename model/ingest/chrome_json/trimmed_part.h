// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// The top-level key with which a trimmed file says which part of which trace it contains:
/// {"range_ns": [begin, end], "steps": [first, last], "recorded_ns": [begin, end]}, in the trace's time.
inline constexpr std::string_view kTrimmedKey = "riffleTrimmed";

struct TrimmedPart {
    TimeSpan range;                ///< the requested range
    std::optional<TimeSpan> steps; ///< the numbers of the requested steps, if steps were requested
    TimeSpan recorded;             ///< the span of the whole trace, so that times count from its start in this file too

    std::string text() const; ///< the key's value
    /// Nothing if the metadata does not have the key or its value makes no sense.
    static std::optional<TrimmedPart> in(const std::vector<std::pair<std::string, std::string>> &metadata);
    /// True if the file can answer questions about the steps with these numbers, which are at `span`. (Marks of other
    /// steps reach into the file too.)
    bool holds(TimeSpan numbers, TimeSpan span) const;
    /// Records in `info` that the file contains only this part. A requested part stays, clipped to this one.
    void describe(TraceInfo &info) const;
};

} // namespace riffle
