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

/// How much a finding matters: figures cannot be trusted, time is lost, worth knowing.
enum class FindingSeverity : uint8_t { Error, Warning, Hint };
const char *textOf(FindingSeverity severity);

/// What a rule's measured value and its threshold are: 0..1, how many times something else, 10⁹ bytes a second, or a
/// plain number.
enum class FindingUnit : uint8_t { Share, Times, Rate, Count };

struct Finding;
struct FindingInput;

/// One thing that is looked for. It is found where the measured value lies strictly beyond the threshold.
struct FindingRule {
    const char *id; ///< snake_case; a contract
    FindingSeverity severity;
    const char *title;
    const char *measure; ///< what is measured, for people
    bool below;          ///< found below the threshold, not above it
    double threshold;
    FindingUnit unit;
    const char *suggestion;
    /// Appends what it finds. The answer says why it could not judge; null when it could.
    const char *(*find)(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found);

    bool holds(double measured) const { return below ? measured < threshold : measured > threshold; }
};

/// Something that costs time or trust, with what was measured and where to look.
struct Finding {
    const FindingRule *rule = nullptr;
    double measured = 0;
    std::string text;               ///< sentences: what was measured, of what
    std::vector<SliceRef> evidence; ///< the worst first; may be empty
    TimeSpan span;                  ///< where to look, in trace time; empty when it is about all of it
    int64_t device = kNoInt;
    int64_t step = kNoInt; ///< number of the step that `span` begins in
};

/// THE table of rules, in the order in which they are asked. To add a rule, add a row.
std::span<const FindingRule> findingRules();

struct Findings {
    std::vector<Finding> found;        ///< by severity, then in the order of the rules
    std::vector<std::string> unjudged; ///< sentences about rules for which something was not recorded
};

Findings findingsOf(const Scope &scope);

/// "23.2 %", "12.3 ×", "0.5 GB/s", "1,234".
std::string formatMeasured(double value, FindingUnit unit);

} // namespace riffle
