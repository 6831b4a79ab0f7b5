// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/area/area_view.h"

#include "model/analysis/summary/area_summary.h"
#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QToolButton>

namespace riffle {

namespace {

std::string headOf(const AreaSummary &summary, Ns origin)
{
    return formatDuration(summary.span.duration()) + " starting at " + formatDuration(summary.span.begin - origin) +
           " · " + formatCounted(static_cast<int64_t>(summary.lanes), "lane", "lanes") + " · " +
           formatCounted(static_cast<int64_t>(summary.count), "slice", "slices");
}

ResultView::Work question(const Session &session)
{
    const std::optional<AreaSelection> area = session.area();
    if (!area || session.traces().empty())
        return {};
    const SummaryRequest request = session.request();
    std::vector<LaneRef> lanes = request.lanes;
    if (lanes.empty()) // all lanes of the filtered ranks; an empty list means all lanes of all ranks
        for (const uint32_t rank : request.traces)
            for (uint32_t lane = 0; lane < session.traces().members[rank].trace->lanes.size(); ++lane)
                lanes.push_back({rank, LaneId(lane)});
    return [traces = session.traces(), area, lanes, names = request.names](std::stop_token stop) {
        AreaSummary summary = summarizeArea(traces, area->span, lanes, {std::move(stop), nullptr});
        if (names)
            std::erase_if(summary.rows, [&](const AreaSummary::Row &row) { return !names(row.name); });
        ResultTable table = areaTable(summary);
        table.notes = {headOf(summary, traces.origin())};
        return table;
    };
}

} // namespace

AreaView::AreaView(Session *session, QWidget *parent) : ResultView(session, Session::Narrowing, question, parent)
{
    setInvitation(tr("Drag over the lanes to sum up an area by name."));
    auto *visible = new QToolButton(this);
    visible->setText(tr("Sum up the visible range"));
    visible->setFocusPolicy(Qt::TabFocus);
    connect(visible, &QToolButton::clicked, this, [session] {
        if (!session->traces().empty())
            session->setArea(AreaSelection{session->visibleRange().clipped(session->traces().span()), {}});
    });
    table()->addTool(visible);
}

} // namespace riffle
