// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/summary/summary_views.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace riffle {

namespace {

/// Converts the moments of a table to set time and sets the origin from which the timeline counts, so that the moments
/// of several traces can be compared.
void inSetTime(ResultTable &table, const TraceSet &set, TraceId trace)
{
    table.origin = set.origin();
    const TimeMap &time = set.time(trace);
    for (ResultColumn &column : table.columns)
        if (column.kind == CellKind::Moment && !time.identity())
            for (int64_t &moment : column.integers)
                if (moment != kNoInt)
                    moment = time.toSet(moment);
}

/// Inserts a first column that names the trace of the rows.
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

ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, TraceId trace)
{
    const Trace &own = *set.trace(trace);
    ScopeRequest scope = request.scope;
    scope.ranksInView = static_cast<uint32_t>(set.size());
    if (scope.range)
        scope.range = set.time(trace).toTrace(*scope.range);
    if (!request.lanes.empty()) {
        scope.lanes.assign(own.lanes.size(), 0);
        for (const LaneRef &lane : request.lanes)
            if (lane.trace == trace && lane.lane.value < scope.lanes.size())
                scope.lanes[lane.lane.value] = 1;
        if (std::find(scope.lanes.begin(), scope.lanes.end(), 1) == scope.lanes.end())
            scope.range = TimeSpan{}; // all requested lanes are in other traces: nothing of this trace counts
    }
    if (request.names) {
        scope.names.resize(own.strings.count());
        for (uint32_t name = 0; name < scope.names.size(); ++name)
            scope.names[name] = request.names(own.string(name));
    }
    return scope;
}

SetFacts::SetFacts(TraceSet set, const SetFacts *before) : m_set(std::move(set))
{
    for (const LoadedTrace &member : m_set.loaded()) {
        const auto known = before ? before->m_facts[member.id] : nullptr;
        m_facts[member.id] =
            known && &known->trace() == member.trace.get() ? known : std::make_shared<const TraceFacts>(member.trace);
    }
}

const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views)
{
    const auto found =
        std::find_if(views.begin(), views.end(), [&](const SummaryView &view) { return view.word == word; });
    return found == views.end() ? nullptr : &*found;
}

namespace {

/// The notes of the tables of several traces, each once, with the traces that it is about.
class TraceNotes {
public:
    void add(std::vector<std::string> notes, const std::string &trace)
    {
        ++m_traces;
        for (std::string &note : notes) {
            auto known =
                std::find_if(m_notes.begin(), m_notes.end(), [&](const Note &one) { return one.text == note; });
            if (known == m_notes.end())
                known = m_notes.insert(m_notes.end(), {std::move(note), {}, 0});
            known->about += (known->about.empty() ? "" : ", ") + trace;
            ++known->traces;
        }
    }
    std::vector<std::string> lines() const
    {
        std::vector<std::string> lines;
        for (const Note &note : m_notes)
            lines.push_back((note.traces == m_traces ? "All traces" : note.about) + ": " + note.text);
        return lines;
    }

private:
    struct Note {
        std::string text, about;
        size_t traces;
    };
    size_t m_traces = 0;
    std::vector<Note> m_notes;
};

} // namespace

void appendRows(ResultTable &table, ResultTable more, const std::string &trace)
{
    nameTrace(more, trace);
    const std::string absence = more.rows() == 0 ? more.absence : std::string();
    const EmptyState empty = more.empty;
    table.append(std::move(more));
    if (!absence.empty()) {
        table.absence = absence;
        table.empty = empty;
    }
}

uint32_t narrowedBy(const SummaryRequest &request, const TraceSet &set)
{
    const ScopeRequest &scope = request.scope;
    const TimeSpan whole = set.span();
    uint32_t limits = 0;
    if (scope.range && (scope.range->begin > whole.begin || scope.range->end < whole.end))
        limits |= narrowed_by::Range;
    if (scope.steps || !scope.stepNumbers.empty() || scope.withoutFirstStep)
        limits |= narrowed_by::Steps;
    if (!request.lanes.empty())
        limits |= narrowed_by::Lanes;
    if (!request.traces.empty() && request.traces.size() < set.size())
        limits |= narrowed_by::Ranks;
    if (request.names)
        limits |= narrowed_by::Names;
    return limits;
}

SummaryRequest widened(SummaryRequest request, uint32_t drops)
{
    if (drops & narrowed_by::Range)
        request.scope.range.reset();
    if (drops & narrowed_by::Steps) {
        request.scope.steps.reset();
        request.scope.stepNumbers.clear();
        request.scope.withoutFirstStep = false;
    }
    if (drops & narrowed_by::Lanes)
        request.lanes.clear();
    if (drops & narrowed_by::Ranks)
        request.traces.clear();
    if (drops & narrowed_by::Names)
        request.names = nullptr;
    return request;
}

namespace {

/// The table of a view for the requested traces.
ResultTable tableOf(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request, const Task &task)
{
    const std::string groupBy = !request.groupBy.empty() ? request.groupBy
                                : view.groupings.empty() ? ""
                                                         : view.groupings.front();
    const std::vector<TraceId> traces = facts.set().loadedOf(request.traces);
    ResultTable all;
    TraceNotes notes;
    for (const TraceId trace : traces) {
        std::vector<std::function<void()>> needed;
        if (view.needsRoles)
            needed.push_back([&] { facts.of(trace).roles(); });
        if (view.needsFlops)
            needed.push_back([&] { facts.of(trace).flops(); });
        parallelJobs(needed);
        if (groupBy.find("stack") != groupBy.npos || groupBy == "module")
            facts.of(trace).chains(); // also computes calls() and work(), in parallel
        const Scope scope(facts.of(trace), scopeOf(request, facts.set(), trace), trace);
        ResultTable table = view.make(scope, groupBy, task);
        assert(table.isRectangular());
        table.view = view.word;
        table.title = view.title;
        inSetTime(table, facts.set(), trace);
        if (!table.absence.empty() && table.empty.reason == EmptyReason::None)
            table.setEmpty(noneOccurred(facts.of(trace), table.absence));
        if (traces.size() == 1)
            return table;
        notes.add(std::exchange(table.notes, {}), facts.set().title(trace));
        appendRows(all, std::move(table), facts.set().title(trace));
    }
    all.notes = notes.lines();
    // Short names of one trace may also occur in another: recompute them so that they differ.
    for (ResultColumn &column : all.columns)
        if (!column.shorts.empty())
            column.shorts = shortKernelNames(std::vector<std::string_view>(column.texts.begin(), column.texts.end()));
    return all;
}

/// Says that a file has no rows for the view because of what it is, and removes rows that are only zeros.
bool isOfOtherKind(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request, ResultTable &table)
{
    const bool keepsRows = table.rows() > 0 && !view.needsTraining;
    if (keepsRows && !view.emptyIsAnswer)
        return false;
    EmptyFacts known = trainingFactsOf(facts, request.traces);
    known.ofTraining = known.ofTraining || !request.scope.stepMark.empty();
    EmptyState state = fileState(known);
    if (state.reason == EmptyReason::None)
        return false;
    table.notes.clear(); // they are about what a training run would contain
    if (keepsRows)
        return true;
    table.keepRows({});
    table.setEmpty(std::move(state));
    return true;
}

/// Looks for a range or a filter that hides all rows.
void explainLimits(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request, const Task &task,
                   ResultTable &table)
{
    EmptyFacts known;
    known.narrowedBy = narrowedBy(request, facts.set()) & ~view.ignores;
    known.rowsWithout = [&](uint32_t drops) { return tableOf(facts, view, widened(request, drops), task).rows(); };
    if (EmptyState state = emptyState(known); state.reason == EmptyReason::Narrowed) {
        table.notes.clear();
        table.setEmpty(std::move(state));
    }
}

} // namespace

Result<ResultTable> summarize(const SetFacts &facts, const SummaryRequest &request, const Task &task,
                              std::span<const SummaryView> views)
{
    const SummaryView *view = findSummaryView(request.view, views);
    if (!view)
        return Error{"There is no view " + request.view + ".", {}, std::nullopt};
    if (!view->canBeGrouped(request.groupBy))
        return Error{"The view " + request.view + " cannot be grouped by " + request.groupBy + ".", {}, std::nullopt};
    std::optional<ResultTable> answer = untilStopped(task.stop, [&] {
        ResultTable table = tableOf(facts, *view, request, task);
        if (!isOfOtherKind(facts, *view, request, table) && table.rows() == 0 && !view->emptyIsAnswer)
            explainLimits(facts, *view, request, task, table);
        return table;
    });
    if (!answer)
        return Error{"The question was stopped.", {}, std::nullopt, ErrorKind::Cancelled};
    return std::move(*answer);
}

} // namespace riffle
