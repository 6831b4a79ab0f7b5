// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/held_keys.h"
#include "views/timeline/timeline_state.h"

#include <QObject>
#include <QVariantAnimation>

#include <functional>
#include <utility>

class QKeyEvent;

namespace riffle {

/// Everything that moves the view: the keys, and the requests of gestures and other views. The movement of held keys
/// follows the elapsed time, not the keyboard's repeat rate.
class Navigation : public QObject {
    Q_OBJECT
public:
    Navigation(TimelineState *state, QObject *parent);

    /// True if the key has a meaning in the timeline.
    bool keyPress(const QKeyEvent &event);
    bool keyRelease(const QKeyEvent &event);
    /// Releases all held keys, for example when the focus is lost.
    void stop();
    bool panning() const { return m_space; } ///< Space is held
    /// Sets whether jumps glide to their target, and fast scrolls glide on; off at first.
    void setAnimated(bool on) { m_animated = on; }
    bool isAnimated() const { return m_animated; }
    bool gliding() const { return m_glide.state() == QAbstractAnimation::Running; }
    /// Shows a range, and glides there if jumps are animated.
    void jump(TimeSpan range);

    /// The time under the pointer if it is over the lanes, otherwise in the middle.
    Ns anchor() const;
    void zoom(Ns anchor, double factor);
    void pan(double share); ///< `share` is a fraction of the visible range
    void showAll();
    bool followEnd(); ///< or stays; returns false if no trace grows
    /// Fits the selected slice, otherwise the area, into the view; a second call restores the previous range. Without a
    /// selection, shows everything.
    void fitSelection();
    /// Marks the area, otherwise the selected slice, otherwise the cursor's time; a second call removes the mark. The
    /// mark is on a rank if the area, the slice or the pointer is.
    void toggleMark();
    /// Fits the next step of the rank that is selected, pointed at, or the first with steps, or the previous one. From
    /// a view of several steps, goes to the first of them, or the last.
    void goToStep(int direction);
    /// Folds or unfolds the rank under the pointer, otherwise that of the selection; false if there is none with a
    /// heading.
    bool toggleRank();
    void selectNeighbour(int direction);
    void selectSameName(int direction);
    void selectAlongFlow(int direction);
    /// Goes to the slice that the selected one is in the next (1) or previous (-1) rank or, if there is only one, step,
    /// or says why there is none. If something else shows the other one (setElsewhere()), that does it.
    void selectElsewhere(int direction);
    using Elsewhere = std::function<void(SliceRef slice, int direction)>;
    void setElsewhere(Elsewhere elsewhere) { m_elsewhere = std::move(elsewhere); }
    /// Unfolds a lane and scrolls it into view.
    void showLane(LaneRef lane);
    /// Selects a slice and brings its lane and time into view; zooms only as far as needed to see it.
    void reveal(SliceRef slice);
    /// The same without selecting it.
    void bringIntoView(SliceRef slice);
    /// Scrolls the lanes to a slice, and unfolds what hides it.
    void showSlice(SliceRef slice);
    /// Fits the slice into the view.
    void zoomTo(SliceRef slice);

signals:
    void tableRequested(riffle::SliceRef slice);      ///< the table with the row of the slice
    void comparisonRequested(riffle::SliceRef slice); ///< of its step or trace with another one
    void told(const QString &sentence);               ///< why a key led nowhere

private:
    void glideTo(double share);
    /// The visible range, or the target of a running glide.
    TimeSpan aim() const { return gliding() ? m_glideTo : m_state->pane()->visibleRange(); }
    void advance(double seconds);
    std::optional<TimeSpan> ownSpanOf(SliceRef slice) const; ///< in the time of its trace
    std::optional<TimeSpan> spanOf(SliceRef slice) const;    ///< set time
    TraceId rankWithSteps() const;                           ///< invalid if there is none
    const SqueezedLane *squeezedLaneOf(SliceRef slice) const;
    void showPartner();
    void follow(SliceId slice);

    TimelineState *m_state;
    HeldKeys m_keys;
    Elsewhere m_elsewhere;
    bool m_space = false;
    bool m_animated = false;
    bool m_moving = false; ///< the glide is changing the range
    QVariantAnimation m_glide;
    TimeSpan m_glideFrom;
    TimeSpan m_glideTo;
    bool m_glidesToAll = false;
    std::optional<TimeSpan> m_beforeFit;
    TimeSpan m_fitted;
};

} // namespace riffle
