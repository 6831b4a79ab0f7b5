// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// The top-level key by which a trimmed file says which part of which trace it is:
/// {"range_ns": [begin, end], "steps": [first, last], "recorded_ns": [begin, end]}, in the trace's time.
inline constexpr std::string_view kTrimmedKey = "riffleTrimmed";

struct TrimmedPart {
    TimeSpan range;                ///< what was asked for
    std::optional<TimeSpan> steps; ///< the numbers of the steps that were asked for, where steps were
    TimeSpan recorded;             ///< of the whole trace, so that times count from its begin here, too

    std::string text() const; ///< the key's value
    /// Nothing where the metadata has no such key or it makes no sense.
    static std::optional<TrimmedPart> in(const std::vector<std::pair<std::string, std::string>> &metadata);
    /// Whether the file can answer about steps of these numbers, which are at `span`: marks of others reach into it,
    /// too.
    bool holds(TimeSpan numbers, TimeSpan span) const;
    /// Says in `info` that the file holds only this; a part of it that was asked for stays, cut to what there is.
    void describe(TraceInfo &info) const;
};

} // namespace riffle
