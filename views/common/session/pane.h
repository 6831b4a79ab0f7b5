// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_state.h"
#include "model/trace/trace_set.h"

#include <QObject>

#include <optional>

namespace riffle {

class Session;

/// One pane of lanes, and what it shows of the session's traces: the visible range, what is under the pointer, and the
/// user's changes to the lanes. Views that show lanes take a pane; tables and analyses take the session. Owned by the
/// session. A setter emits changed() once if it changes something; otherwise it does nothing.
class Pane : public QObject {
    Q_OBJECT
public:
    enum Change {
        VisibleRange = 1 << 0,
        Hover = 1 << 1,      ///< cursor time, hovered slice or hovered rank
        Lanes = 1 << 2,      ///< lanes()
        FollowsEnd = 1 << 3, ///< followsEnd()
        Along = 1 << 4       ///< with VisibleRange: nobody moved it, it follows the end
    };
    Q_DECLARE_FLAGS(Changes, Change)

    explicit Pane(Session *session);

    Session *session() const { return m_session; }
    /// The span of all traces, or of the parts read, with a little room at both ends.
    TimeSpan wholeRange() const { return m_whole; }
    TimeSpan visibleRange() const { return m_visible; }
    /// Sets the range. It follows the end from then on if it contains the end of the traces.
    void setVisibleRange(TimeSpan range);   ///< clamped to the traces' span plus a margin; at least 10 ns wide
    TimeSpan allowed(TimeSpan range) const; ///< the range that setVisibleRange() would set
    /// Like setVisibleRange(), but for jumps: a timeline may glide there.
    void goTo(TimeSpan range);
    void reveal(SliceRef slice);

    /// True if the visible range moves along when traces grow, so that their end stays where it is. If everything is
    /// visible, everything stays visible.
    bool followsEnd() const { return m_followsEnd; }
    /// Goes to the end of the traces if it is not visible, and follows it; or leaves the range where it is.
    void setFollowsEnd(bool on);

    SliceRef hovered() const { return m_hovered; }
    /// The trace whose lanes the pointer is over; invalid if it is not over the lanes of one.
    TraceId hoveredRank() const { return m_hoveredRank; }
    std::optional<Ns> cursor() const { return m_cursor; } ///< set time
    void setHover(SliceRef slice, std::optional<Ns> cursor, TraceId rank = {});

    const LaneState &lanes() const { return m_lanes; }
    void setLanes(LaneState lanes);

signals:
    void changed(riffle::Pane::Changes changes);
    /// Asks the timeline to bring a slice into view (and select it).
    void revealRequested(riffle::SliceRef slice);
    /// Asks the timeline to go to a range, possibly gliding there.
    void rangeRequested(riffle::TimeSpan range);

private:
    friend class Session; // it calls the first three when its traces have changed, and tell() once it has said so
    void showOtherTraces();
    /// Keeps the visible range. If it lies outside the traces now, or all was visible and `mayShowAll` is set, shows
    /// all.
    void keepPlace(bool mayShowAll);
    /// Follows the end of traces that have grown; `before` is the span that they had.
    void moveAlong(TimeSpan before);
    void tell();
    void show(TimeSpan range);
    Changes noteEnd(TimeSpan range);

    Session *m_session;
    TimeSpan m_whole, m_visible;
    bool m_followsEnd = true;
    SliceRef m_hovered;
    TraceId m_hoveredRank;
    std::optional<Ns> m_cursor;
    LaneState m_lanes;
    Changes m_untold;
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Pane::Changes)

} // namespace riffle
