// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "views/timeline/timeline_state.h"

#include <QWidget>

#include <span>

namespace riffle {

/// The training steps (ProfilerStep#N, or the slices chosen as steps) as a ribbon below the ruler; a click shows one
/// step. Hidden if there are none.
class StepRibbon : public QWidget {
    Q_OBJECT
public:
    StepRibbon(TimelineState *state, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    TimeScale scale() const { return TimeScale(m_state->pane()->visibleRange(), std::max(1, width())); }
    void findSteps();
    /// The steps of the first trace of the set that has any.
    std::span<const Step> steps() const;
    TimeSpan spanOf(const Step &step) const; ///< set time
    const Step *stepAt(int x) const;

    TimelineState *m_state;
    TraceId m_trace; ///< the trace whose steps are shown; none if no trace has any
};

} // namespace riffle
