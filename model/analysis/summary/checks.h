// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <map>
#include <string>
#include <string_view>

namespace riffle {

/// A bound on a figure: "steps.mean<=250ms", "idle<=10%", "kernels.calls.sum<1000", "memory.peak<=20GiB". The names of
/// the figures of traces (for those of snapshots, see SnapshotChecks):
///   NAME            a figure of the overview's devices: idle, utilization, exposed_communication …
///   SECTION.NAME    another figure of the overview: step.communication, idle.dataloader, launches.slow_launches …
///   VIEW.COLUMN.OF  the mean, median, min, max or sum of a view's column; steps.OF is that of the steps' durations
///   VIEW.count      the number of rows of a view; findings.errors, .warnings and .hints count those of one severity
struct Check {
    enum class Compare : uint8_t { AtMost, Below, AtLeast, Above, Equal };
    enum class Unit : uint8_t { Number, Time, Share, Bytes };

    std::string metric;
    Compare compare = Compare::AtMost;
    Unit unit = Unit::Number;
    double limit = 0;      ///< by unit: a number, ns, a ratio, or bytes
    std::string limitText; ///< the comparison and the limit as written

    bool holds(double value) const;
    /// True if `value` is worse than `other` for this check: nearer to breaking the bound, or further beyond it.
    bool isWorse(double value, double other) const;
    /// A value as text for the user, in the unit of the bound.
    std::string text(double value) const;
    /// An Error that names the figure and says what is wrong with it.
    Error wrong(const std::string &why) const;
    Error wrongUnit() const;
};

Result<Check> parseCheck(std::string_view text);

/// The result of a check.
struct CheckOutcome {
    bool holds = false;
    std::string value; ///< the figure as text for the user, or why it is not known
};

/// Runs checks on one part of one trace. Each view that they need is computed once.
class CheckRunner {
public:
    CheckRunner(const SetFacts &facts, ScopeRequest scope) : m_facts(facts), m_scope(std::move(scope)) {}

    /// If there are several devices, the worst one counts. A check of a figure that was not recorded fails. Returns an
    /// Error if there is no such figure, or if it has another unit.
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
