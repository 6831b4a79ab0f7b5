// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/summary/summary_views.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <functional>

namespace riffle {

namespace {

template <typename T>
void append(std::vector<T> &to, std::vector<T> from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Moments on the clock of the set, counted from where the timeline counts, so that those of several traces can be
/// compared.
void inSetTime(ResultTable &table, const TraceSet &set, uint32_t trace)
{
    table.origin = set.origin();
    const TimeMap &time = set.members[trace].time;
    for (ResultColumn &column : table.columns)
        if (column.kind == CellKind::Moment && !time.identity())
            for (int64_t &moment : column.integers)
                if (moment != kNoInt)
                    moment = time.toSet(moment);
}

/// A first column that says of which trace the rows are.
void nameTrace(ResultTable &table, const std::string &trace)
{
    ResultColumn column;
    column.key = kTraceColumn;
    column.title = "Trace";
    column.kind = CellKind::Text;
    column.texts.assign(table.rows(), trace);
    table.columns.insert(table.columns.begin(), std::move(column));
}

} // namespace

ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, uint32_t trace)
{
    const Trace &own = *set.members[trace].trace;
    ScopeRequest scope = request.scope;
    scope.ranksInView = static_cast<uint32_t>(set.members.size());
    if (scope.range)
        scope.range = set.members[trace].time.toTrace(*scope.range);
    if (!request.lanes.empty()) {
        scope.lanes.assign(own.lanes.size(), 0);
        for (const LaneRef &lane : request.lanes)
            if (lane.trace == trace && lane.lane.value < scope.lanes.size())
                scope.lanes[lane.lane.value] = 1;
        if (std::find(scope.lanes.begin(), scope.lanes.end(), 1) == scope.lanes.end())
            scope.range = TimeSpan{}; // all of them are elsewhere: nothing of this trace
    }
    if (request.names) {
        scope.names.resize(own.strings.count());
        for (uint32_t name = 0; name < scope.names.size(); ++name)
            scope.names[name] = request.names(own.string(name));
    }
    return scope;
}

SetFacts::SetFacts(TraceSet set) : m_set(std::move(set))
{
    for (const TraceSet::Member &member : m_set.members)
        m_facts.push_back(std::make_shared<const TraceFacts>(member.trace));
}

const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views)
{
    const auto found =
        std::find_if(views.begin(), views.end(), [&](const SummaryView &view) { return view.word == word; });
    return found == views.end() ? nullptr : &*found;
}

void appendRows(ResultTable &table, ResultTable more, const std::string &trace)
{
    const auto before = static_cast<uint32_t>(table.rows());
    nameTrace(more, trace);
    for (std::string &note : more.notes)
        note = trace + ": " + note;
    if (table.columns.empty()) {
        table = std::move(more);
        return;
    }
    for (size_t at = 0; at < table.columns.size() && at < more.columns.size(); ++at) {
        append(table.columns[at].texts, std::move(more.columns[at].texts));
        append(table.columns[at].shorts, std::move(more.columns[at].shorts));
        append(table.columns[at].integers, std::move(more.columns[at].integers));
        append(table.columns[at].numbers, std::move(more.columns[at].numbers));
    }
    append(table.depth, std::move(more.depth));
    append(table.evidence, std::move(more.evidence));
    append(table.notes, std::move(more.notes));
    if (!more.absence.empty() && table.rows() == before)
        table.absence = more.absence;
    if (more.slices)
        table.slices =
            std::make_shared<const RowSlices>(table.slices ? table.slices->with(*more.slices, before) : *more.slices);
}

Result<ResultTable> summarize(const SetFacts &facts, const SummaryRequest &request, const Task &task,
                              std::span<const SummaryView> views)
{
    const SummaryView *view = findSummaryView(request.view, views);
    if (!view)
        return Error{"there is no view " + request.view, {}, std::nullopt};
    if (!view->canBeGrouped(request.groupBy))
        return Error{request.view + " cannot be grouped by " + request.groupBy, {}, std::nullopt};
    const std::string groupBy = !request.groupBy.empty()  ? request.groupBy
                                : view->groupings.empty() ? ""
                                                          : view->groupings.front();
    std::vector<uint32_t> traces = request.traces;
    if (traces.empty())
        for (uint32_t at = 0; at < facts.size(); ++at)
            traces.push_back(at);
    ResultTable all;
    for (const uint32_t trace : traces) {
        if (trace >= facts.size())
            continue;
        std::vector<std::function<void()>> needed;
        if (view->needsRoles)
            needed.push_back([&] { facts.of(trace).roles(); });
        if (view->needsFlops)
            needed.push_back([&] { facts.of(trace).flops(); });
        parallelJobs(needed);
        if (groupBy.find("stack") != groupBy.npos || groupBy == "module")
            facts.of(trace).chains(); // made beside the rest, too
        const Scope scope(facts.of(trace), scopeOf(request, facts.set(), trace), trace);
        ResultTable table = view->make(scope, groupBy, task);
        table.view = view->word;
        table.title = view->title;
        inSetTime(table, facts.set(), trace);
        const TraceInfo &info = facts.of(trace).trace().info;
        if (!table.absence.empty() && (info.part || info.partSteps))
            table.absence = "In the part of the trace that was read: " + table.absence;
        if (traces.size() == 1)
            return table;
        appendRows(all, std::move(table), facts.set().title(trace));
    }
    // Short names of one trace may be another's: they are told apart again.
    for (ResultColumn &column : all.columns)
        if (!column.shorts.empty())
            column.shorts = shortKernelNames(std::vector<std::string_view>(column.texts.begin(), column.texts.end()));
    return all;
}

} // namespace riffle
