// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_layout.h"
#include "tests/model/analysis/small_trace.h"
#include "views/common/look/qt_text.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QTest>
#include <QWheelEvent>

#include <memory>
#include <utility>

/// A test with a timeline on the screen, with the mouse beside the lanes. It shows the training trace by default.
class TimelineCase : public QObject {
protected:
    void showTimeline(std::shared_ptr<const riffle::Trace> trace = riffle::test::trainingTrace())
    {
        using namespace riffle;
        m_trace = std::move(trace);
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<TimelineView>(m_session->pane());
        m_session->setTraces(test::setOf(m_trace));
        m_view->resize(1100, 500);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->finishJobs();
        m_view->setFocus();
        QTest::mouseMove(m_view.get(), QPoint(2, 2));
        m_session->pane()->setHover({}, std::nullopt);
    }
    void closeTimeline()
    {
        m_view.reset();
        m_session.reset();
    }

    QPoint pointOf(const char *name) const { return m_view->canvas().rectOf(named(name))->center().toPoint(); }
    riffle::SliceRef named(const char *name) const
    {
        return {riffle::TraceId(0), riffle::test::sliceNamed(*m_trace, name)};
    }
    QString selectedName() const
    {
        const auto slice = m_trace->slice(m_session->selected().slice);
        return slice ? riffle::toQString(m_trace->string(slice->data.name)) : QString();
    }
    void wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(at, m_view->canvas().mapToGlobal(QPointF(at)), {}, angle, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&m_view->canvas(), &event);
    }
    const riffle::LaneItem &item(const char *title) const
    {
        for (const auto *section : {&m_view->state().layout().pinned(), &m_view->state().layout().items()})
            for (const riffle::LaneItem &lane : *section)
                if (lane.title == title)
                    return lane;
        qFatal("no lane %s", title);
    }
    /// The top of a strip in the lanes.
    int yOf(const riffle::LaneItem &item) const { return item.y + m_view->state().viewport().of(item).offset(); }
    riffle::Ns length() const { return m_session->pane()->visibleRange().duration(); }

    std::shared_ptr<const riffle::Trace> m_trace;
    std::unique_ptr<riffle::Session> m_session;
    std::unique_ptr<riffle::TimelineView> m_view;
};
