// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// How much a finding matters. Error: figures cannot be trusted. Warning: time is lost. Hint: worth knowing.
enum class FindingSeverity : uint8_t { Error, Warning, Hint };
const char *textOf(FindingSeverity severity);

/// The unit of a rule's measured value and threshold: a share from 0 to 1, a multiple of another value, 10⁹ bytes per
/// second, or a plain number.
enum class FindingUnit : uint8_t { Share, Times, Rate, Count };

struct Finding;
struct FindingInput;

/// A rule looks for one problem. It applies if the measured value is strictly beyond the threshold.
struct FindingRule {
    const char *id; ///< snake_case; must never change
    FindingSeverity severity;
    const char *title;
    const char *measure; ///< describes the measured value to the user
    bool below;          ///< true if the rule applies below the threshold, not above it
    double threshold;
    FindingUnit unit;
    const char *suggestion;
    /// Appends the rule's findings. Returns why the rule could not be judged, or null if it could.
    const char *(*find)(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found);

    bool holds(double measured) const { return below ? measured < threshold : measured > threshold; }
};

/// A problem that costs time or makes figures unreliable, with the measured value and the place to look.
struct Finding {
    const FindingRule *rule = nullptr;
    double measured = 0;
    std::string text;               ///< sentences about the measured value
    std::vector<SliceRef> evidence; ///< the worst first; may be empty
    TimeSpan span;                  ///< where to look, in trace time; empty if the finding is about the whole trace
    int64_t device = kNoInt;
    int64_t step = kNoInt; ///< number of the step in which `span` starts
};

/// The table of all rules, in the order in which they are applied. To add a rule, add a row.
std::span<const FindingRule> findingRules();

struct Findings {
    std::vector<Finding> found;        ///< by severity, then in the order of the rules
    std::vector<std::string> unjudged; ///< sentences about the rules that could not be judged, and why
};

Findings findingsOf(const Scope &scope);

/// "23.2 %", "12.3 ×", "0.5 GB/s", "1,234".
std::string formatMeasured(double value, FindingUnit unit);

} // namespace riffle
