// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/timeline_state.h"

#include <QWidget>

class QScrollBar;

namespace riffle {

/// The scroll bars right of the lanes: one for each part that scrolls, shown only where not all lanes are in view.
class LaneScrollBars : public QWidget {
    Q_OBJECT
public:
    LaneScrollBars(TimelineState *state, QWidget *parent);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void follow();
    void follow(QScrollBar *bar, LaneWindow::Part part);

    TimelineState *m_state;
    QScrollBar *m_device;
    QScrollBar *m_main;
};

} // namespace riffle
