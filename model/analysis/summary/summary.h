// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/search/text_matcher.h"
#include "model/analysis/table/result_table.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The facts of every trace of a set, beside its members. Kept as long as the set is.
class SetFacts {
public:
    SetFacts() = default;
    explicit SetFacts(TraceSet set);

    const TraceSet &set() const { return m_set; }
    const TraceFacts &of(size_t member) const { return *m_facts[member]; }
    size_t size() const { return m_facts.size(); }

private:
    TraceSet m_set;
    std::vector<std::shared_ptr<const TraceFacts>> m_facts;
};

/// A question to one of the views. Times are in the set's time.
struct SummaryRequest {
    std::string view;    ///< "operators"; one of summaryViews()
    std::string groupBy; ///< one of the view's groupings; empty: its first
    ScopeRequest scope;  ///< its range in set time; its lanes and names are made of those below where there are any
    std::vector<LaneRef> lanes;   ///< empty: all
    TextMatcher names;            ///< null: all
    std::vector<uint32_t> traces; ///< indices in the set; empty: all. Of several, each has rows of its own
};

/// The part of a request that is about one trace of a set, in its own time.
ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, uint32_t trace);

/// One view: a word for commands, and the function that answers for one trace.
struct SummaryView {
    const char *word;
    const char *title;
    std::vector<const char *> groupings; ///< words of --group-by, the first is the usual one; empty: none
    ResultTable (*make)(const Scope &scope, std::string_view groupBy, const Task &task);
    bool needsRoles = false; ///< stands on TraceFacts::roles() and
    bool needsFlops = false; ///< TraceFacts::flops(), which are then made beside each other

    /// Whether that is one of its groupings; nothing always is.
    bool canBeGrouped(std::string_view by) const
    {
        return by.empty() || std::find(groupings.begin(), groupings.end(), by) != groupings.end();
    }
};

/// THE table of views, in the order in which they are listed. To add a view, add a row.
std::span<const SummaryView> summaryViews();
const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views = summaryViews());

/// Answers for each trace asked about; of several the rows follow each other, behind a first column that names the
/// trace. An Error where there is no such view or grouping.
Result<ResultTable> summarize(const SetFacts &facts, const SummaryRequest &request, const Task &task,
                              std::span<const SummaryView> views = summaryViews());

/// Appends the rows of `more`, which has the same columns, under the name of its trace.
void appendRows(ResultTable &table, ResultTable more, const std::string &trace);

} // namespace riffle
