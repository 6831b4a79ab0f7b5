// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/search/text_matcher.h"
#include "model/analysis/table/merged_table.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A trace set, and the facts of each of its loaded traces.
class SetFacts {
public:
    SetFacts() = default;
    /// Takes over the facts that `before` has of the same traces. Of a trace that grows and has more slices than
    /// `mostSlices`, the facts are about the newest part; set() always has the traces as a whole.
    explicit SetFacts(TraceSet set, const SetFacts *before = nullptr, uint64_t mostSlices = UINT64_MAX);

    /// The same traces with facts about all of them.
    SetFacts ofWholeTraces() const { return SetFacts(m_set, this); }

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

/// One of the parts of traces that a question compares: a whole trace, a range or steps of it. Several parts may be of
/// one trace.
struct SummaryPart {
    std::string label; ///< shown to the user; differs from those of the other parts
    TraceId trace;
    std::optional<TimeSpan> range; ///< set time
    std::optional<TimeSpan> steps; ///< step numbers [n, m]
};

/// A request to one of the views. Times are set time.
struct SummaryRequest {
    std::string view;            ///< "operators"; one of summaryViews()
    std::string groupBy;         ///< one of the view's groupings; the first one if empty
    ScopeRequest scope;          ///< its range is set time; `lanes` and `names` below replace its own if they are set
    std::vector<LaneRef> lanes;  ///< all lanes if empty
    TextMatcher names;           ///< all names if null
    std::vector<TraceId> traces; ///< all traces if empty; each is a part, under its title
    std::vector<SummaryPart> parts; ///< the parts to compare instead; theirs replace the range and the steps of `scope`
    RankLayout layout = RankLayout::RankByRank; ///< how the rows of several parts become one table
    std::string spread; ///< the column to compare in the other layouts; the view's most important one if empty
};

/// The limits that a request sets, as bits of narrowed_by. A range that contains everything is no limit.
uint32_t narrowedBy(const SummaryRequest &request, const TraceSet &set);
/// The request without these limits (bits of narrowed_by).
SummaryRequest widened(SummaryRequest request, uint32_t drops);

/// The parts of loaded traces that a request is about.
std::vector<SummaryPart> partsOf(const SummaryRequest &request, const TraceSet &set);
/// The scope of a part, in the time of its trace.
ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, const SummaryPart &part);
/// The same for a whole trace, within the limits of the request.
ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, TraceId trace);

/// A part of a request as a scope, for views that take all parts.
struct LabelledScope {
    std::string label;
    Scope scope;
    TimeMap time; ///< from the time of the scope's trace to that of the set
};

/// One view: its word in commands, and the function that computes its table.
struct SummaryView {
    const char *word;
    const char *title;
    std::vector<const char *> groupings; ///< words for --group-by, the default first; empty if there are none
    /// Makes the table of one trace, with moments in its time.
    ResultTable (*make)(const Scope &scope, std::string_view groupBy);
    bool needsRoles = false;    ///< make() uses TraceFacts::roles()
    bool needsFlops = false;    ///< make() uses TraceFacts::flops(); both are computed in parallel beforehand
    bool needsTraining = false; ///< the rows mean something only for training runs
    bool emptyIsAnswer = false; ///< that there are no rows is the answer, not a lack of data
    uint32_t ignores = 0;       ///< bits of narrowed_by: what does not limit the view
    /// The columns that tell which rows of several traces are the same one, as far as a grouping has them. If empty,
    /// the rows are instances that belong to one trace each, and always stand trace by trace.
    std::vector<std::string_view> keys = {};
    std::string_view instances = {}; ///< the grouping whose rows are instances although there are keys
    /// Makes the merged table of several traces from all their scopes, with moments in set time. If null, the rows of
    /// make() are merged by their keys.
    ResultTable (*makeMerged)(std::span<const LabelledScope> scopes, std::string_view groupBy) = nullptr;

    /// True if rows of several traces can be the same row.
    bool canBeMerged(std::string_view groupBy) const
    {
        return !keys.empty() && (instances.empty() || instances != groupBy);
    }
    /// True if `by` is one of the groupings, or empty.
    bool canBeGrouped(std::string_view by) const
    {
        return by.empty() || std::find(groupings.begin(), groupings.end(), by) != groupings.end();
    }
};

/// The table of all views, in the order in which they are listed. To add a view, add a row.
std::span<const SummaryView> summaryViews();
const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views = summaryViews());

/// The table of the requested view. The parts are computed in parallel; if there are several, their rows become one
/// table as the request's layout says. A table without rows says why it has none. Returns an Error if there is no such
/// view or grouping, or if the task was stopped.
Result<ResultTable> summarize(const SetFacts &facts, const SummaryRequest &request, const Task &task,
                              std::span<const SummaryView> views = summaryViews());

} // namespace riffle
