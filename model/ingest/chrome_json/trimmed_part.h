// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// The top-level key with which a trimmed file says which part of which trace it contains: {"range_ns": [begin, end],
/// "steps": [first, last], "recorded_ns": [begin, end]}. Times are those of the whole trace.
inline constexpr std::string_view kTrimmedKey = "riffleTrimmed";

struct TrimmedPart {
    TimeSpan range;                ///< the requested range
    std::optional<TimeSpan> steps; ///< the numbers of the requested steps, if steps were requested
    TimeSpan recorded;             ///< the span of the whole trace, so that times count from its start in this file too

    std::string text() const; ///< the key's value
    /// Returns nothing if the metadata does not have the key or its value is invalid.
    static std::optional<TrimmedPart> in(const std::vector<std::pair<std::string, std::string>> &metadata);
    /// True if questions about the steps `numbers`, which take place in `span`, can be answered from the file. The
    /// marks of steps do not show this, because marks of other steps reach into the file, too.
    bool holds(TimeSpan numbers, TimeSpan span) const;
    /// Records in `info` that the file contains only this part. If `info` already has a requested part, that part is
    /// clipped to this one.
    void describe(TraceInfo &info) const;
};

} // namespace riffle
