// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/area/area_view.h"

#include "model/analysis/summary/area_summary.h"
#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "views/common/look/limit_badge.h"
#include "views/common/look/qt_text.h"

#include <QToolButton>

namespace riffle {

namespace {

constexpr uint32_t kUnlimited = narrowed_by::Steps; ///< an area is a range of its own

std::string headOf(const AreaSummary &summary, Ns origin, const std::string &rank)
{
    return formatDuration(summary.span.duration()) + " starting at " + formatDuration(summary.span.begin - origin) +
           (rank.empty() ? "" : " " + rank) + " · " +
           formatCounted(static_cast<int64_t>(summary.lanes), "lane", "lanes") + " · " +
           formatCounted(static_cast<int64_t>(summary.count), "slice", "slices");
}

/// The lanes that a request asks for; empty for all lanes of all ranks.
std::vector<LaneRef> lanesOf(const SummaryRequest &request, const TraceSet &traces)
{
    std::vector<LaneRef> lanes = request.lanes;
    if (lanes.empty()) // all lanes of the filtered ranks
        for (const TraceId rank : request.traces)
            if (const Trace *trace = traces.trace(rank))
                for (uint32_t lane = 0; lane < trace->lanes.size(); ++lane)
                    lanes.push_back({rank, LaneId(lane)});
    return lanes;
}

/// The classes of all slices, if the request asks for some of them. Throws Stopped.
SlicesOfClasses classesOf(const SetFacts &facts, const SummaryRequest &request)
{
    SlicesOfClasses only{{}, request.scope.classes};
    if (only.wanted)
        for (const LoadedTrace &member : facts.set().loaded())
            only.classes[member.id] = facts.of(member.id).workClasses();
    return only;
}

AreaSummary summaryOf(const SetFacts &facts, TimeSpan span, const SummaryRequest &request, const Task &task)
{
    const auto only = untilStopped(task.stop, [&] { return classesOf(facts, request); });
    if (!only)
        return {};
    AreaSummary summary = summarizeArea(facts.set(), span, lanesOf(request, facts.set()), task, *only);
    if (request.names)
        std::erase_if(summary.rows, [&](const AreaSummary::Row &row) { return !request.names(row.name); });
    return summary;
}

ResultView::Work question(const Session &session)
{
    const std::optional<AreaSelection> area = session.area();
    if (!area || session.traces().empty())
        return {};
    EmptyFacts known = session.emptyFacts();
    known.narrowedBy = session.narrowedBy() & ~kUnlimited & ~narrowed_by::Range;
    known.part = false; // the area is in the part that was read
    known.noneOccurred = "No slice lies in the area.";
    return [facts = session.facts(), span = area->in(session.traces()), request = session.request(), known,
            rank = toUtf8(rankText(session.traces(), area->trace))](std::stop_token stop) {
        const Task task{std::move(stop), nullptr};
        const AreaSummary summary = summaryOf(*facts, span, request, task);
        ResultTable table = areaTable(summary);
        table.notes = {headOf(summary, facts->set().origin(), rank)};
        if (request.scope.classes && std::ranges::any_of(facts->set().loaded(), [&](const LoadedTrace &member) {
                return facts->of(member.id).isPart();
            }))
            table.notes.push_back("The kinds of work are known only in the newest part of the recording, so only its "
                                  "slices count here.");
        if (!summary.rows.empty())
            return table;
        EmptyFacts empty = known;
        empty.rowsWithout = [&](uint32_t drops) {
            return task.stopped() ? 0 : summaryOf(*facts, span, widened(request, drops), task).rows.size();
        };
        table.setEmpty(emptyState(empty));
        return table;
    };
}

} // namespace

AreaView::AreaView(Session *session, QWidget *parent) : ResultView(session, Session::Narrowing, question, parent)
{
    setInvitation(tr("Drag over the lanes to sum up an area by name."), EmptyAction::SumUp);
    badge()->setIgnored(kUnlimited, narrowed_by::Range);
    setOfWholeTraces();
    auto *visible = new QToolButton(this);
    visible->setText(tr("Sum up the visible range"));
    visible->setFocusPolicy(Qt::TabFocus);
    connect(visible, &QToolButton::clicked, this, [session] {
        if (!session->traces().empty())
            session->setArea(AreaSelection{session->pane()->visibleRange().clipped(session->traces().span()), {}});
    });
    table()->addTool(visible);
}

} // namespace riffle
