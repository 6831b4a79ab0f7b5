// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/timeline_case.h"

#include "tests/model/analysis/small_trace.h"
#include "views/common/qt_text.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"

#include <QApplication>
#include <QtTest>
#include <QWheelEvent>

using namespace riffle;

void TimelineCase::init()
{
    m_trace = test::trainingTrace();
    m_session = std::make_unique<Session>();
    m_view = std::make_unique<TimelineView>(m_session.get());
    m_session->setTraces(test::setOf(m_trace));
    m_view->resize(1100, 500);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    m_view->finishJobs();
    m_view->setFocus();
    QTest::mouseMove(m_view.get(), QPoint(2, 2));
    m_session->setHover({}, std::nullopt);
}

void TimelineCase::cleanup()
{
    m_view.reset();
    m_session.reset();
}

QPoint TimelineCase::pointOf(const char *name) const { return m_view->canvas().rectOf(named(name))->center().toPoint(); }

QString TimelineCase::selectedName() const
{
    const auto slice = m_trace->slice(m_session->selected().slice);
    return slice ? toQString(m_trace->string(slice->data.name)) : QString();
}

void TimelineCase::wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, m_view->canvas().mapToGlobal(QPointF(at)), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&m_view->canvas(), &event);
}

const LaneItem &TimelineCase::item(const char *title) const
{
    for (const auto *section : {&m_view->state().layout().pinned(), &m_view->state().layout().items()})
        for (const LaneItem &lane : *section)
            if (lane.title == title)
                return lane;
    qFatal("no lane %s", title);
}
