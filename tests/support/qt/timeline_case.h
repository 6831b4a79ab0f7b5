// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_layout.h"
#include "tests/model/analysis/small_trace.h"
#include "views/timeline/timeline_view.h"

#include <QObject>

#include <memory>

/// A test with a timeline on the screen that shows the training trace, the mouse beside the lanes.
class TimelineCase : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();

protected:
    QPoint pointOf(const char *name) const;
    riffle::SliceRef named(const char *name) const { return {0, riffle::test::sliceNamed(*m_trace, name)}; }
    QString selectedName() const;
    void wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers);
    const riffle::LaneItem &item(const char *title) const;
    riffle::Ns length() const { return m_session->visibleRange().duration(); }

    std::shared_ptr<const riffle::Trace> m_trace;
    std::unique_ptr<riffle::Session> m_session;
    std::unique_ptr<riffle::TimelineView> m_view;
};
