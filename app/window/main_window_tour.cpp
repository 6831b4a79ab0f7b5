// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The tour of the window: which one fits the open files, and where its cards stand.
#include "app/window/main_window.h"
#include "app/window/shell/page_bar.h"
#include "app/window/shell/tab_dock.h"
#include "app/window/shell/tab_row.h"
#include "app/window/tour.h"
#include "views/common/look/chip_bar.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/strip/strip_view.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/timeline_view.h"

namespace riffle {

TourKind MainWindow::tourKind() const
{
    const TraceSet &traces = m_session->traces();
    if (traces.empty())
        return TourKind::Snapshot;
    if (!m_facts.training)
        return TourKind::OtherTrace;
    if (traces.members().size() > 1)
        return TourKind::Ranks;
    return traces.loaded().front().trace->info.format == "Riffle log" ? TourKind::Log : TourKind::Trace;
}

void MainWindow::startTour()
{
    if (whatIsOpen() == Showing::Nothing) {
        m_isTourWanted = true;
        openSample();
    } else if (whatIsOpen() == Showing::Files) {
        m_notice->notify(NoticeBar::Level::Info, tr("There is no tour of memory timelines and memory logs."));
    } else {
        m_tour->start(tourKind());
    }
}

QWidget *MainWindow::showPlace(TourPlace place)
{
    const bool isOfMemory = m_session->traces().empty();
    showPage(isOfMemory ? QStringLiteral("snapshot") : QStringLiteral("timeline"));
    if (m_workspace->dockSize() == Workspace::DockSize::Full)
        m_workspace->setDockSize(Workspace::DockSize::Open);
    updateActions();
    switch (place) {
    case TourPlace::Pages: return m_bar;
    case TourPlace::Filters: return m_chips;
    case TourPlace::Strip: return m_strip;
    case TourPlace::Minimap: return &m_timeline->minimap();
    case TourPlace::Lanes: return &m_timeline->canvas();
    case TourPlace::Labels: return &m_timeline->labels();
    case TourPlace::Tables: return m_workspace->dock()->tabs();
    case TourPlace::Memory: return m_memoryPage;
    }
    return nullptr;
}

} // namespace riffle
