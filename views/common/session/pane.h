// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_state.h"
#include "model/trace/trace_set.h"
#include "views/common/session/marks.h"

#include <QObject>

#include <optional>

namespace riffle {

class Session;

/// One pane of lanes, and what it shows of the session's traces: some of them or all, the visible range, what is under
/// the pointer, and the user's changes to the lanes. All times are in set time. Views that show lanes take a pane;
/// tables and analyses take the session. Owned by the session. A setter emits changed() once if it changes something;
/// otherwise it does nothing.
class Pane : public QObject {
    Q_OBJECT
public:
    enum Change {
        VisibleRange = 1 << 0,
        Hover = 1 << 1,      ///< cursor time, hovered slice or hovered rank
        Lanes = 1 << 2,      ///< lanes()
        FollowsEnd = 1 << 3, ///< followsEnd()
        Along = 1 << 4,      ///< with VisibleRange: nobody moved it, it follows the end
        Shown = 1 << 5,      ///< traces(): other members of the same set
        Origin = 1 << 6,     ///< origin()
        Partner = 1 << 7     ///< partner()
    };
    Q_DECLARE_FLAGS(Changes, Change)

    explicit Pane(Session *session);

    Session *session() const { return m_session; }
    /// The traces that the pane shows: those of the session, or a part of them.
    const TraceSet &traces() const;
    /// Shows these members only, and all that is recorded of them; without any, all members. Other traces end it, and
    /// so does the removal of the last of them.
    void showOnly(std::vector<TraceId> members);
    /// The members of a set that the pane shows.
    TraceSet partOf(const TraceSet &set) const { return m_shownOnly.empty() ? set : set.part(m_shownOnly); }
    const std::vector<TraceId> &shownOnly() const { return m_shownOnly; }
    /// True if a mark or area is in set time, or on a rank that the pane shows.
    bool shows(const Mark &mark) const { return !mark.trace.valid() || traces().member(mark.trace); }
    bool shows(const AreaSelection &area) const { return !area.trace.valid() || traces().member(area.trace); }
    /// The area of a range over these lanes; without any, over all lanes of the traces that the pane shows.
    AreaSelection areaOf(TimeSpan span, std::vector<LaneRef> lanes) const;
    /// The time that the ruler shows as 0: that of the set, unless another one was set.
    Ns origin() const { return m_origin.value_or(traces().origin()); }
    void setOrigin(std::optional<Ns> origin);
    /// Allows the visible range to go this far, too, as if something were recorded there, so that two panes of traces
    /// of unlike lengths can show equal lengths. An empty span allows nothing more.
    void setRoom(TimeSpan room);
    /// The span to which setVisibleRange() confines a range, without that room.
    TimeSpan ownRoom() const;
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

    /// A slice that belongs to the selected one and is outlined like a weaker selection: the same one on the other side
    /// of a comparison. Changes of the traces drop it.
    SliceRef partner() const { return m_partner; }
    void setPartner(SliceRef slice);

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
    /// Follows the end of traces that have grown.
    void moveAlong();
    void tell();
    void show(TimeSpan range);
    Changes noteEnd(TimeSpan range);
    void takeTraces();

    Session *m_session;
    std::vector<TraceId> m_shownOnly; ///< empty for all members
    TraceSet m_part;                  ///< those members
    TimeSpan m_span;                  ///< of the traces that are shown
    std::optional<Ns> m_origin;
    TimeSpan m_whole, m_visible, m_room;
    bool m_followsEnd = true;
    SliceRef m_hovered, m_partner;
    TraceId m_hoveredRank;
    std::optional<Ns> m_cursor;
    LaneState m_lanes;
    Changes m_untold;
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Pane::Changes)

} // namespace riffle
