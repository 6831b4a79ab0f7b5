// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/search/text_matcher.h"
#include "model/analysis/table/result_table.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A trace set, and the facts of each of its loaded traces.
class SetFacts {
public:
    SetFacts() = default;
    /// Takes over the facts that `before` has of the same traces.
    explicit SetFacts(TraceSet set, const SetFacts *before = nullptr);

    const TraceSet &set() const { return m_set; }
    const TraceFacts &of(TraceId trace) const
    {
        assert(m_facts[trace]);
        return *m_facts[trace];
    }
    size_t size() const { return m_set.size(); }

private:
    TraceSet m_set;
    PerTrace<std::shared_ptr<const TraceFacts>> m_facts;
};

/// A request to one of the views. Times are set time.
struct SummaryRequest {
    std::string view;            ///< "operators"; one of summaryViews()
    std::string groupBy;         ///< one of the view's groupings; the first one if empty
    ScopeRequest scope;          ///< its range is set time; `lanes` and `names` below replace its own if they are set
    std::vector<LaneRef> lanes;  ///< all lanes if empty
    TextMatcher names;           ///< all names if null
    std::vector<TraceId> traces; ///< all traces if empty. Each trace has its own rows
};

/// The limits that a request sets, as bits of narrowed_by. A range that contains everything is no limit.
uint32_t narrowedBy(const SummaryRequest &request, const TraceSet &set);
/// The request without these limits (bits of narrowed_by).
SummaryRequest widened(SummaryRequest request, uint32_t drops);

/// The part of a request that concerns one trace of a set, in the time of that trace.
ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, TraceId trace);

/// One view: its word in commands, and the function that computes its table for one trace.
struct SummaryView {
    const char *word;
    const char *title;
    std::vector<const char *> groupings; ///< words for --group-by, the default first; empty if there are none
    ResultTable (*make)(const Scope &scope, std::string_view groupBy, const Task &task);
    bool needsRoles = false;    ///< make() uses TraceFacts::roles()
    bool needsFlops = false;    ///< make() uses TraceFacts::flops(); both are computed in parallel beforehand
    bool needsTraining = false; ///< the rows mean something only for training runs
    bool emptyIsAnswer = false; ///< that there are no rows is the answer, not a lack of data
    uint32_t ignores = 0;       ///< bits of narrowed_by: what does not limit the view

    /// True if `by` is one of the groupings, or empty.
    bool canBeGrouped(std::string_view by) const
    {
        return by.empty() || std::find(groupings.begin(), groupings.end(), by) != groupings.end();
    }
};

/// The table of all views, in the order in which they are listed. To add a view, add a row.
std::span<const SummaryView> summaryViews();
const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views = summaryViews());

/// The table of the requested view for each requested trace. The rows of several traces follow one another, and the
/// first column then names the trace. A table without rows says why it has none. Returns an Error if there is no such
/// view or grouping, or if the task was stopped.
Result<ResultTable> summarize(const SetFacts &facts, const SummaryRequest &request, const Task &task,
                              std::span<const SummaryView> views = summaryViews());

/// Appends the rows of `more`, which has the same columns, and names their trace in the first column.
void appendRows(ResultTable &table, ResultTable more, const std::string &trace);

} // namespace riffle
