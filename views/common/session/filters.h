// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/text_matcher.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What timeline and tables are narrowed down to, beside an area, and what they take for steps. A part that is empty
/// narrows nothing; what is let through is let through by every part.
struct Filters {
    enum class Part : uint8_t { StepMark, FirstStep, Steps, Lanes, Traces, Name, Text };

    std::string stepMark;          ///< slices of this name are the steps, not those that the profiler marked
    bool withoutFirstStep = false; ///< where it is far longer than the rest
    std::vector<int64_t> steps;    ///< numbers
    std::vector<LaneRef> lanes;
    std::vector<uint32_t> traces; ///< ranks, by their index in the set
    std::string name;             ///< slices of exactly this name
    std::string text;             ///< slices whose name contains it, or matches it as /expression/

    bool operator==(const Filters &) const = default;
    bool empty() const { return *this == Filters{}; }
    bool has(Part part) const { return without(part) != *this; }
    Filters without(Part part) const;
    /// Which names pass; null when all do. An Error when the text is no expression.
    Result<TextMatcher> names() const;
};

} // namespace riffle
