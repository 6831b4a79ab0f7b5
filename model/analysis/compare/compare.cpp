// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/compare.h"

#include "model/analysis/compare/compare_views.h"
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/summary/summary_layout.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

namespace riffle {

std::span<const CompareView> compareViews()
{
    static const CompareView kViews[] = {
        {.word = "step", .title = "Parts of the time", .make = stepDifference},
        {.word = "overview", .title = "Overview", .make = overviewDifference},
        {.word = "kernels", .title = "Kernels", .makeOfWork = kernelDifference},
        {.word = "operators", .title = "Operators", .makeOfWork = operatorDifference},
        {.word = "modules", .title = "Modules", .makeOfWork = moduleDifference},
        {.word = "copies", .title = "Copies and memsets", .summary = "memcpy", .figure = "total_ns"},
        {.word = "communication", .title = "Communication", .make = communicationDifference},
        {.word = "memory",
         .title = "Memory at its peak, by operator",
         .summary = "memory-peak",
         .figure = "bytes",
         .ofWhole = true},
        {.word = "ranks", .title = "Median step of each rank", .makeOfSides = rankDifference},
        {.word = "findings", .title = "Findings", .make = findingDifference, .ofWhole = true},
    };
    return kViews;
}

const CompareView *findCompareView(std::string_view word)
{
    const std::span<const CompareView> views = compareViews();
    const auto found =
        std::find_if(views.begin(), views.end(), [&](const CompareView &view) { return view.word == word; });
    return found == views.end() ? nullptr : &*found;
}

namespace {

std::optional<int64_t> numberOfOnlyDevice(const TraceFacts &facts)
{
    const auto &devices = facts.work().devices;
    return devices.size() == 1 ? std::optional<int64_t>(devices.front().number) : std::nullopt;
}

} // namespace

ResultTable summaryDifference(const char *word, const char *figure, const LabelledScope &a, const LabelledScope &b)
{
    const SummaryView *summary = findSummaryView(word);
    assert(summary && !summary->keys.empty());
    const std::string_view groupBy = summary->groupings.empty() ? "" : summary->groupings.front();
    const std::array<const LabelledScope *, 2> sides{&a, &b};
    std::vector<LabelledTable> tables(sides.size());
    parallelFor(sides.size(), [&](size_t at) {
        const Scope &scope = sides[at]->scope;
        tables[at] = {sides[at]->label, summary->make(scope, groupBy)};
        if (ResultTable &table = tables[at].table; !table.absence.empty() && table.empty.reason == EmptyReason::None)
            table.setEmpty(noneOccurred(scope.facts(), table.absence));
        // Without the reason, all rows of the other side would look new or gone.
        if (ResultTable &table = tables[at].table; !table.absence.empty())
            table.notes.push_back(table.absence);
    });
    LayoutRequest layout{RankLayout::Difference, summary->keys, figure, {}};
    if (std::ranges::find(layout.keys, "device") != layout.keys.end())
        layout.devices = {numberOfOnlyDevice(a.scope.facts()), numberOfOnlyDevice(b.scope.facts())};
    ResultTable table = laidOut(std::move(tables), layout);
    if (table.rows() == 0)
        table.notes.clear(); // the absence says it
    return table;
}

namespace {

LabelledScope scopeOf(const SetFacts &facts, const ComparedSide &side, bool ofWhole)
{
    ScopeRequest request = ofWhole ? side.whole : side.part;
    request.ranksInView = 2;
    return {side.label, Scope(facts.of(side.trace), request, side.trace), facts.set().time(side.trace)};
}

} // namespace

Comparison::Comparison(const SetFacts &facts, ComparedSide a, ComparedSide b)
    : m_facts(facts)
    , m_a(std::move(a))
    , m_b(std::move(b))
{
}

const Comparison::Scopes &Comparison::scopes(bool ofWhole)
{
    std::unique_ptr<const Scopes> &known = ofWhole ? m_wholes : m_parts;
    if (!known)
        known = std::make_unique<const Scopes>(Scopes{scopeOf(m_facts, m_a, ofWhole), scopeOf(m_facts, m_b, ofWhole)});
    return *known;
}

const DeviceComparison &Comparison::work()
{
    const Scopes &both = scopes(false);
    if (!m_work)
        m_work = std::make_unique<const DeviceComparison>(both.a.scope, both.b.scope);
    return *m_work;
}

TimeSpan Comparison::spanOf(size_t side)
{
    const Scopes &both = scopes(false);
    const Scope &scope = side == 0 ? both.a.scope : both.b.scope;
    const auto &intervals = scope.wholeWindow().intervals();
    return intervals.empty() ? scope.facts().trace().recordedSpan()
                             : TimeSpan{intervals.front().begin, intervals.back().end};
}

ResultTable Comparison::make(const CompareView &view)
{
    if (view.makeOfSides)
        return view.makeOfSides(m_a, m_b);
    const bool ofWhole = view.ofWhole && !m_a.isChosen && !m_b.isChosen;
    const Scopes &both = scopes(ofWhole);
    const LabelledScope &a = both.a, &b = both.b;
    if (view.makeOfWork) {
        assert(!view.ofWhole);
        return view.makeOfWork(a, b, [this]() -> const DeviceComparison & { return work(); });
    }
    ResultTable table = view.make ? view.make(a, b) : summaryDifference(view.summary, view.figure, a, b);
    if (ofWhole && table.absence.empty() && (m_a.part != m_a.whole || m_b.part != m_b.whole))
        table.notes.insert(table.notes.begin(),
                           "This is about all that was recorded, not only about the steps that are compared.");
    return table;
}

Result<ResultTable> Comparison::table(const CompareView &view, const Task &task)
{
    std::optional<ResultTable> answer = untilStopped(task.stop, [&] {
        ResultTable made = make(view);
        assert(made.isRectangular());
        made.view = view.word;
        made.title = view.title;
        return made;
    });
    if (!answer)
        return Error{"The question was stopped.", {}, std::nullopt, ErrorKind::Cancelled};
    return std::move(*answer);
}

Result<ResultTable> compare(const SetFacts &facts, const CompareView &view, const ComparedSide &a,
                            const ComparedSide &b, const Task &task)
{
    return Comparison(facts, a, b).table(view, task);
}

} // namespace riffle
