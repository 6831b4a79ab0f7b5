// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/text_matcher.h"
#include "model/trace/trace_set.h"
#include "model/trace/work_class.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The filters of the timeline and the tables, apart from the area, and the definition of the steps. An empty part
/// filters nothing; a slice passes if it passes every part.
struct Filters {
    enum class Part : uint8_t { StepMark, FirstStep, Steps, Lanes, Traces, Name, WithoutNames, Text, Classes };
    static constexpr Part kParts[] = {Part::StepMark, Part::FirstStep,    Part::Steps, Part::Lanes,  Part::Traces,
                                      Part::Name,     Part::WithoutNames, Part::Text,  Part::Classes};

    std::string stepMark;          ///< slices with this name are the steps, instead of those that the profiler marked
    bool withoutFirstStep = false; ///< leave out the first step if it is far longer than the rest
    std::vector<int64_t> steps;    ///< step numbers
    std::vector<LaneRef> lanes;
    std::vector<TraceId> traces;           ///< ranks
    std::string name;                      ///< slices of exactly this name
    std::vector<std::string> withoutNames; ///< no slices of exactly these names
    std::string text;                      ///< slices whose name contains it, or matches it if written as /expression/
    WorkClassSet classes = 0;              ///< slices of these kinds of work

    bool operator==(const Filters &) const = default;
    bool empty() const { return *this == Filters{}; }
    bool has(Part part) const { return without(part) != *this; }
    Filters without(Part part) const;
    /// These filters, with some parts taken from others.
    Filters with(const Filters &others, std::span<const Part> parts) const;
    /// Matches the names that pass; null if all do. An error if the text is not a valid expression.
    Result<TextMatcher> names() const;
};

} // namespace riffle
