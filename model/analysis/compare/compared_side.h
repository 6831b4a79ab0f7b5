// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The steps of a scope whose lengths can be compared: those that ended, that no range cuts, without a first one that
/// is far longer than the others.
struct StepMedian {
    size_t steps = 0;    ///< how many there are
    Ns duration = 0;     ///< the median of their lengths, as medianOf() takes it; 0 if there are no steps
    uint32_t middle = 0; ///< the index in StepSet::steps of the step that is compared: the middle one by length, of an
                         ///< even number the shorter of the middle two, of equals the first
};

StepMedian medianStep(const Scope &scope);

/// The median step of one rank of a run.
struct RankStep {
    int64_t rank = 0;
    StepMedian median;
};

/// The part of a trace that the user wants to compare. Without a range and steps, this is the median step.
struct SideRequest {
    std::optional<TimeSpan> range; ///< after the trace's first event
    std::optional<TimeSpan> steps; ///< step numbers [n, m]
    bool allSteps = false;         ///< all of its steps, without a first one that is far longer than the others
    std::string stepMark;          ///< what marks the steps (stepsMarkedBy()); the profiler's marks if empty

    bool choosesPart() const { return range || steps || allSteps; }
    bool operator==(const SideRequest &) const = default;
};

/// One side of a comparison: a part of a trace, as a scope for the views about a step, and all that the user chose of
/// the trace for the views about a run. The two differ only if the user chose nothing.
struct ComparedSide {
    std::string label; ///< "A" or "B"
    TraceId trace;
    ScopeRequest part, whole;
    bool isChosen = false;       ///< the user chose the part
    StepMedian median;           ///< of `whole`
    std::vector<RankStep> ranks; ///< of the run that is compared, each once; empty if nothing is known of a run
    /// The two in words: "step 551, the middle of 6 by length", "all of it (no steps)".
    std::string partText, wholeText;
};

/// Finds the part of a loaded trace. An Error says which steps or times the trace does not have.
Result<ComparedSide> comparedSide(const SetFacts &facts, TraceId trace, const SideRequest &request, std::string label);

} // namespace riffle
