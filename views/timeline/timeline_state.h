// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/ingest/importer.h"
#include "model/layout/lane_viewport.h"
#include "views/common/session/jobs.h"
#include "views/common/session/session.h"
#include "views/timeline/slice_colours.h"

#include <QObject>

#include <optional>
#include <set>
#include <vector>

namespace riffle {

/// The state that the parts of the timeline share beyond the pane: the layout of the lanes, the scroll position, and
/// the graphs, idle times, squeezed lanes, classes and highlighted slices, which are computed in the background.
/// Classes are computed for all ranks that are seen, the others for those that are seen unfolded, when they are first
/// seen. Owned by the timeline view.
class TimelineState : public QObject {
    Q_OBJECT
public:
    TimelineState(Pane *pane, QObject *parent);

    Pane *pane() const { return m_pane; }
    Session *session() const { return m_session; }
    const TraceSet &traces() const { return m_pane->traces(); }
    Jobs &jobs() { return m_jobs; }
    const LaneLayout &layout() const { return m_layout; }
    const SetGraphs &graphs() const { return m_graphs; }
    /// Per trace, the ascending ids of emphasised slices; empty while nothing is highlighted.
    const PerTrace<BigVector<uint32_t>> &hits() const { return m_hits; }
    /// The same as numbers in the squeezed lanes; empty until they are known.
    const PerTrace<BigVector<uint32_t>> &squeezedHits() const { return m_squeezedHits; }
    /// Per trace, the sorted names to emphasise: those of the highlight, otherwise those that pass the filters. Empty
    /// if nothing is emphasised, or slices are.
    const PerTrace<std::vector<uint32_t>> &emphasisedNames() const { return m_emphasisedNames; }
    /// Per trace, the ascending ids of the slices to emphasise, if names do not tell which.
    const PerTrace<BigVector<uint32_t>> &emphasisedSlices() const;
    /// Highlights all slices with this name, as soon as the names of all traces have been compared with it.
    void highlightName(const std::string &name);
    ColourMode colourMode() const { return m_colourMode; }
    void setColourMode(ColourMode mode);
    /// The kind of work of each slice; null for traces for which this is not known yet.
    const SetWorkClasses &workClasses() const { return m_classes; }
    /// The tints of colours other than those of classes and names; null for traces whose tints are not known yet.
    const SetTints &tints() const { return m_tints; }
    /// Emphasises the slices of a class instead of everything else, as soon as they are found; None ends that.
    void pointAtClass(WorkClass kind);
    /// True if nothing in a strip passes the filters.
    bool excluded(const LaneItem &item) const;

    /// Folds or unfolds. A click on a member that is not loaded asks for it instead.
    void toggleFold(const LaneItem &item);
    /// Shows all rows of a lane, or its first ones again.
    void toggleWhole(const LaneItem &item);
    /// Shows the plumbing of a lane or hides it: Python frames between the user's code and operators.
    void toggleFrames(const LaneItem &item);
    void showAllFrames(bool on); ///< of all lanes
    /// Groups the lanes of several ranks by their names: "stream 20" of every rank.
    void groupByName(bool on);
    void foldAll();   ///< the ranks, or the groups of a single trace
    void unfoldAll(); ///< ranks, groups and lanes
    void togglePin(const LaneItem &item);
    void hide(const LaneItem &item);
    void showAll();
    void setHeight(const LaneItem &item, int height); ///< 0 for the default
    void setFilter(const QString &filter);
    /// Moves a lane to the place of another one in its group.
    void moveLane(const LaneItem &item, const LaneItem &before);
    /// Unfolds and unhides a lane and its groups, and drops the lane filter if it still excludes the lane. If a slice
    /// of the lane is given, shows all its frames and rows as far as needed to show the slice.
    void expose(LaneRef lane, SliceId slice = {});
    /// False if the lane of the slice is not shown, or hides it.
    bool hasRow(SliceRef slice) const;

    /// True if the critical path of the current selection (or of everything) is shown as a lane.
    bool showsCriticalPath() const { return m_showsPath; }
    void showCriticalPath(bool on);

    /// Shows these lanes in this timeline alone, in place of the last ones.
    void setOwnBands(SetBands bands);

    /// Where the lanes are in the view.
    const LaneViewport &viewport() const { return m_viewport; }
    /// The height of the lanes, including pinned ones. A selected slice that is in view stays there.
    void setViewHeight(int height);
    void setDeviceWish(int height); ///< see LaneViewport
    void setScroll(LaneWindow::Part part, int y);
    /// The part that keys scroll: the one that the pointer was over last.
    void setActivePart(LaneWindow::Part part) { m_activePart = part; }
    const LaneWindow &activeWindow() const;
    /// Scrolls the active part; if all of it is in view, the other one.
    void scrollBy(int distance);
    /// Scrolls as little as needed to show the pixel rows [top, bottom) of a strip.
    void scrollTo(const LaneItem &item, int top, int bottom);

    const std::optional<LoadPreview> &preview() const { return m_preview; }
    void setPreview(LoadPreview preview);

    bool absoluteTime() const { return m_absoluteTime; }
    void setAbsoluteTime(bool on);
    /// Unix nanoseconds of set time 0; none if the traces do not record it.
    std::optional<int64_t> baseTime() const;
    /// A set time as text: since the first event, or date and time.
    QString timeText(Ns setTime, Ns step = 1) const;

signals:
    /// The session has changed, as it is seen in the pane: other members in the pane are Session::Members. The parts of
    /// the timeline listen to this in place of the session.
    void sessionChanged(riffle::Session::Changes changes);
    void layoutChanged(); ///< strips, their order or heights, or the preview
    void scrolled();
    void picturesChanged(); ///< graphs, hits, classes, the mode of colours, the unit of time, whether there is a
                            ///< critical path

private:
    void onSession(Session::Changes changes);
    void onPane(Pane::Changes changes);
    void onScrolled();
    /// Pixel rows of a strip, from its top.
    struct SeenRow {
        const LaneItem *item;
        int top, bottom;
    };
    std::optional<SeenRow> selectedRow() const;
    void relayout();
    const LaneItem *seenPiece(const LaneWindow &window) const;
    void relayoutInPlace();
    std::vector<TraceId> seenRanks(bool folded) const;
    void makeSeenLanes();
    template <typename Work, typename Take>
    void make(TraceId rank, const QString &job, std::set<TraceId> &made, Work work, Take take);
    void makeGraphs(TraceId rank);
    void makeIdle(TraceId rank);
    void makeClasses(TraceId rank);
    void makeTints(TraceId rank);
    void makeSqueezed(TraceId rank);
    void findSqueezedHits();
    void forgetTints();
    void makeCriticalPath();
    void findHits();
    void emphasise(PerTrace<std::vector<uint32_t>> names, PerTrace<BigVector<uint32_t>> hits, bool areSlices);

    static inline const QString kGraphsJob = QStringLiteral("graphs");
    static inline const QString kIdleJob = QStringLiteral("idle");
    static inline const QString kClassesJob = QStringLiteral("classes");
    static inline const QString kTintsJob = QStringLiteral("tints");
    static inline const QString kHitsJob = QStringLiteral("hits");
    static inline const QString kSqueezeJob = QStringLiteral("squeezed lanes");
    static inline const QString kSqueezedHitsJob = QStringLiteral("squeezed hits");
    static inline const QString kHighlightJob = QStringLiteral("highlight");
    Pane *m_pane;
    Session *m_session;
    Jobs m_jobs;
    LaneLayout m_layout;
    LaneViewport m_viewport{m_layout};
    SetGraphs m_graphs;
    std::set<TraceId> m_withGraphs, m_withIdle, m_withClasses,
        m_withSqueezed;              ///< the ranks for which these are computed, or could not be
    std::vector<TraceId> m_unlisted; ///< the ranks without any strip
    TraceSet m_known;                ///< the traces that what is computed is about
    SetBands m_idle;
    SetBands m_path;
    SetBands m_ownBands;
    SetSqueezedLanes m_squeezed;
    bool m_showsPath = false;
    PerTrace<BigVector<uint32_t>> m_hits, m_squeezedHits;
    PerTrace<std::vector<uint32_t>> m_emphasisedNames;
    bool m_areSlicesEmphasised = false; ///< those of m_hits, instead of names
    LaneWindow::Part m_activePart = LaneWindow::Part::Main;
    std::optional<LoadPreview> m_preview;
    bool m_absoluteTime = false;
    ColourMode m_colourMode = ColourMode::Class;
    SetWorkClasses m_classes;
    SetTints m_tints; ///< of the present mode and steps
    std::set<TraceId> m_withTints;
    WorkClass m_pointedClass = WorkClass::None;
};

} // namespace riffle
