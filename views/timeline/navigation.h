// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/held_keys.h"
#include "views/timeline/timeline_state.h"

#include <QObject>
#include <QVariantAnimation>

class QKeyEvent;

namespace riffle {

/// Everything that moves the view: the keys, and what gestures and other views ask for. Held keys move by the time that
/// passes, not by the keyboard's repeat rate.
class Navigation : public QObject {
    Q_OBJECT
public:
    Navigation(TimelineState *state, QObject *parent);

    /// True when the key means something to the timeline.
    bool keyPress(const QKeyEvent &event);
    bool keyRelease(const QKeyEvent &event);
    /// Lets go of all held keys, as when the focus is lost.
    void stop();
    bool panning() const { return m_space; } ///< Space is held
    /// Whether jumps glide to where they lead; at first they do not.
    void setAnimated(bool on) { m_animated = on; }
    bool gliding() const { return m_glide.state() == QAbstractAnimation::Running; }
    /// Shows a range that may be far away.
    void jump(TimeSpan range);

    /// Under the pointer when it is over the lanes, else in the middle.
    Ns anchor() const;
    void zoom(Ns anchor, double factor);
    void pan(double share); ///< of the visible range
    void showAll();
    /// The selected slice or area fills the view; asked again, back to what was shown before.
    void fitSelection();
    /// Keeps the selected slice, the area or the cursor's time as a mark; asked again, removes it.
    void toggleMark();
    void selectNeighbour(int direction);
    void selectSameName(int direction);
    void selectAlongFlow(int direction);
    /// Selects a slice and brings its lane and time into sight; zooms only as far as needed to see it.
    void reveal(SliceRef slice);
    /// The slice fills the view.
    void zoomTo(SliceRef slice);

signals:
    void searchRequested();
    void goToRequested();
    void keysRequested();

private:
    void glideTo(double share);
    /// What is shown, or will be when a glide has ended.
    TimeSpan aim() const { return gliding() ? m_glideTo : m_state->session()->visibleRange(); }
    void advance(double seconds);
    std::optional<TimeSpan> spanOf(SliceRef slice) const; ///< set time
    void showSlice(SliceRef slice);
    void follow(SliceId slice);

    TimelineState *m_state;
    HeldKeys m_keys;
    bool m_space = false;
    bool m_animated = false;
    bool m_moving = false; ///< the range changes because of the glide
    QVariantAnimation m_glide;
    TimeSpan m_glideFrom;
    TimeSpan m_glideTo;
    std::optional<TimeSpan> m_beforeFit;
    TimeSpan m_fitted;
};

} // namespace riffle
