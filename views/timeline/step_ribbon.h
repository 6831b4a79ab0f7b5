// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "views/timeline/timeline_state.h"

#include <QWidget>

namespace riffle {

/// The training steps (ProfilerStep#N) as a ribbon below the ruler; a click shows one step. Hidden when there are none.
class StepRibbon : public QWidget {
    Q_OBJECT
public:
    StepRibbon(TimelineState *state, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    TimeScale scale() const { return TimeScale(m_state->session()->visibleRange(), std::max(1, width())); }
    /// The first member of the set that has steps; null when there is none.
    const TraceSet::Member *member() const;
    const Step *stepAt(int x) const;

    TimelineState *m_state;
};

} // namespace riffle
