// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/summary/summary_layout.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace riffle {

SetFacts::SetFacts(TraceSet set, const SetFacts *before, uint64_t mostSlices) : m_set(std::move(set))
{
    for (const LoadedTrace &member : m_set.loaded()) {
        const auto known = before ? before->m_facts[member.id] : nullptr;
        const bool isSame = known && known->whole() == member.trace && known->settled() == member.settled() &&
                            known->hasMost(mostSlices);
        m_facts[member.id] =
            isSame ? known : std::make_shared<const TraceFacts>(member.trace, member.settled(), mostSlices);
    }
}

const SummaryView *findSummaryView(std::string_view word, std::span<const SummaryView> views)
{
    const auto found =
        std::find_if(views.begin(), views.end(), [&](const SummaryView &view) { return view.word == word; });
    return found == views.end() ? nullptr : &*found;
}

namespace {

/// Computes what a view needs of a trace, in parallel where a view would compute one thing after another.
void prepare(const TraceFacts &facts, const SummaryView &view, std::string_view groupBy)
{
    std::vector<std::function<void()>> needed;
    if (view.needsRoles)
        needed.push_back([&] { facts.roles(); });
    if (view.needsFlops)
        needed.push_back([&] { facts.flops(); });
    parallelJobs(needed);
    if (groupBy.find("stack") != groupBy.npos || groupBy == "module")
        facts.chains(); // also computes calls() and work(), in parallel
}

/// The table of a view for one part.
ResultTable tableOfPart(const SetFacts &facts, const SummaryView &view, std::string_view groupBy,
                        const ScopeRequest &request, TraceId trace)
{
    prepare(facts.of(trace), view, groupBy);
    ResultTable table = view.make(Scope(facts.of(trace), request, trace), groupBy);
    assert(table.isRectangular());
    table.view = view.word;
    table.title = view.title;
    inSetTime(table, facts.set(), trace);
    if (!table.absence.empty() && table.empty.reason == EmptyReason::None)
        table.setEmpty(noneOccurred(facts.of(trace), table.absence));
    return table;
}

/// The table that a view makes from all parts at once.
ResultTable tableOfAll(const SetFacts &facts, const SummaryView &view, std::string_view groupBy,
                       const SummaryRequest &request, std::span<const SummaryPart> parts)
{
    std::vector<std::optional<LabelledScope>> made(parts.size());
    parallelFor(parts.size(), [&](size_t at) {
        const TraceId trace = parts[at].trace;
        prepare(facts.of(trace), view, groupBy);
        made[at].emplace(LabelledScope{parts[at].label,
                                       Scope(facts.of(trace), scopeOf(request, facts.set(), parts[at]), trace),
                                       facts.set().time(trace)});
    });
    std::vector<LabelledScope> scopes;
    for (std::optional<LabelledScope> &scope : made)
        scopes.push_back(std::move(*scope));
    ResultTable table = view.makeMerged(scopes, groupBy);
    assert(table.isRectangular());
    table.view = view.word;
    table.title = view.title;
    table.origin = facts.set().origin();
    return table;
}

/// The number of the device of a trace that uses only one.
std::optional<int64_t> onlyDevice(const TraceFacts &facts)
{
    const auto &devices = facts.work().devices;
    return devices.size() == 1 ? std::optional(devices.front().number) : std::nullopt;
}

/// The table of a view for all parts of a request.
ResultTable tableOf(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request)
{
    const std::string groupBy = !request.groupBy.empty() ? request.groupBy
                                : view.groupings.empty() ? ""
                                                         : view.groupings.front();
    const std::vector<SummaryPart> parts = partsOf(request, facts.set());
    if (parts.size() > 1 && request.layout == RankLayout::Merged && view.makeMerged)
        return tableOfAll(facts, view, groupBy, request, parts);
    LayoutRequest layout{request.layout, {}, request.spread, {}};
    if (view.canBeMerged(groupBy))
        layout.keys = view.keys;
    const bool differsByDevice = std::ranges::find(layout.keys, "device") != layout.keys.end();
    layout.devices.resize(differsByDevice ? parts.size() : 0);
    std::vector<LabelledTable> tables(parts.size());
    parallelFor(parts.size(), [&](size_t at) {
        const SummaryPart &part = parts[at];
        tables[at] = {part.label, tableOfPart(facts, view, groupBy, scopeOf(request, facts.set(), part), part.trace)};
        if (differsByDevice)
            layout.devices[at] = onlyDevice(facts.of(part.trace));
    });
    if (tables.empty())
        return {};
    return tables.size() == 1 ? std::move(tables.front().table) : laidOut(std::move(tables), layout);
}

/// Says that a file has no rows for the view because of what it is, and removes rows that are only zeros.
bool isOfOtherKind(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request, ResultTable &table)
{
    const bool keepsRows = table.rows() > 0 && !view.needsTraining;
    if (keepsRows && !view.emptyIsAnswer)
        return false;
    std::vector<TraceId> traces;
    for (const SummaryPart &part : partsOf(request, facts.set()))
        traces.push_back(part.trace);
    EmptyFacts known = trainingFactsOf(facts, traces);
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
void explainLimits(const SetFacts &facts, const SummaryView &view, const SummaryRequest &request, ResultTable &table)
{
    EmptyFacts known;
    known.newest = std::ranges::any_of(partsOf(request, facts.set()),
                                       [&](const SummaryPart &part) { return facts.of(part.trace).isPart(); });
    known.narrowedBy = narrowedBy(request, facts.set()) & ~view.ignores;
    known.rowsWithout = [&](uint32_t drops) { return tableOf(facts, view, widened(request, drops)).rows(); };
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
        ResultTable table = tableOf(facts, *view, request);
        if (!isOfOtherKind(facts, *view, request, table) && table.rows() == 0 && !view->emptyIsAnswer)
            explainLimits(facts, *view, request, table);
        return table;
    });
    if (!answer)
        return Error{"The question was stopped.", {}, std::nullopt, ErrorKind::Cancelled};
    return std::move(*answer);
}

} // namespace riffle
