// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <map>
#include <string>
#include <string_view>

namespace riffle {

/// A bound on a figure: "steps.mean<=250ms", "idle<=10%", "kernels.calls.sum<1000". What the figures are called:
///   NAME            a device's figure of the overview: idle, utilization, exposed_communication …
///   SECTION.NAME    another figure of the overview: step.communication, idle.dataloader, launches.slow_launches …
///   VIEW.COLUMN.OF  of a column of a view: mean, median, min, max or sum; steps.OF is that of the steps' durations
///   VIEW.count      how many rows a view has; findings.errors, .warnings and .hints are those of a severity
struct Check {
    enum class Compare : uint8_t { AtMost, Below, AtLeast, Above, Equal };
    enum class Unit : uint8_t { Number, Time, Share };

    std::string metric;
    Compare compare = Compare::AtMost;
    Unit unit = Unit::Number;
    double limit = 0;      ///< a number, ns, or a ratio
    std::string limitText; ///< as it was written, with the comparison

    bool holds(double value) const;
};

Result<Check> parseCheck(std::string_view text);

/// What a check found.
struct CheckOutcome {
    bool holds = false;
    std::string value; ///< for people; where it could not be known, why
};

/// Runs checks on one part of one trace. The views that they ask about are made once.
class CheckRunner {
public:
    CheckRunner(const SetFacts &facts, ScopeRequest scope) : m_facts(facts), m_scope(std::move(scope)) {}

    /// Of several devices the worst counts. What the trace does not say fails; an Error where there is no such figure,
    /// or none in that unit.
    Result<CheckOutcome> run(const Check &check);

private:
    Result<const ResultTable *> table(const std::string &view);
    Result<CheckOutcome> ofOverview(const Check &check, std::string_view section, std::string_view name);
    Result<CheckOutcome> ofColumn(const Check &check, const ResultTable &table, const std::string &column,
                                  std::string_view of);
    Result<CheckOutcome> ofRows(const Check &check, const ResultTable &table, const std::string &word);
    bool stepsAreMarked() const;

    const SetFacts &m_facts;
    ScopeRequest m_scope;
    std::map<std::string, ResultTable> m_tables;
};

} // namespace riffle
