// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/regular_marks.h"
#include "model/layout/time_scale.h"
#include "views/timeline/timeline_state.h"

#include <QWidget>

#include <span>
#include <vector>

class QLabel;

namespace riffle {

/// The training steps (ProfilerStep#N, or the slices chosen as steps) as a ribbon below the ruler; a click shows one
/// step. With several ranks, it names the one whose steps it shows: that of the selected slice, otherwise the first
/// with steps. Without steps, it offers the most regular annotations as steps, and is hidden if there are none either.
class StepRibbon : public QWidget {
    Q_OBJECT
public:
    StepRibbon(TimelineState *state, QWidget *parent);

    /// Hides the ribbon for good.
    void leaveOut();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    TimeScale scale() const { return TimeScale(m_state->pane()->visibleRange(), std::max(1, width())); }
    void findSteps();
    enum class Before : uint8_t { Keep, Forget }; ///< what was offered
    void findOffers(Before before);
    void offer(const std::vector<RegularMark> &marks);
    void placeOffer();
    /// The steps of the first trace of the set that has any.
    std::span<const Step> steps() const;
    TimeSpan spanOf(const Step &step) const; ///< set time
    const Step *stepAt(int x) const;

    TimelineState *m_state;
    TraceId m_trace; ///< the trace whose steps are shown; none if no trace has any
    QLabel *m_offer; ///< links to annotations that could be steps
    Jobs m_jobs;     // last: its destructor waits for jobs
};

} // namespace riffle
