// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/view.h"
#include "views/compare/comparison_state.h"

#include <QJsonObject>

#include <array>
#include <optional>

class QSplitter;
class QToolButton;

namespace riffle {

class ElidedLabel;
class PaneLink;
class SideChooser;
class TimelineView;

/// The page of a comparison: the lanes of both sides, above each other or side by side, each in a pane of its own that
/// starts at the side's part. The panes and timelines are made when the page is first seen.
class ComparePage : public View {
    Q_OBJECT
public:
    explicit ComparePage(ComparisonState *state, QWidget *parent = nullptr);
    ~ComparePage() override;

    ComparisonState *state() const { return m_state; }
    SideChooser *chooser(size_t side) const { return m_choosers[side]; }
    Pane *pane(size_t side) const { return m_panes[side]; }                 ///< null until the page is first seen
    TimelineView *timeline(size_t side) const { return m_timelines[side]; } ///< the same
    TimelineView *activeTimeline() const; ///< the one that had the focus last; null until the page is first seen
    QString summary() const;              ///< what the line above the lanes says

    bool isLinked() const;
    void setLinked(bool on);
    bool isSideBySide() const;
    void setSideBySide(bool on);
    /// Brings a slice into view in the pane that shows its trace, and its partner in the other one. Returns false if
    /// neither side shows the trace.
    bool reveal(SliceRef slice);
    /// Compares the next (1) or previous (-1) step of the side that had the focus last.
    void goToStep(int direction);
    bool settled() const; ///< true if nothing is being computed
    /// The choice, and how the panes stand, for session files.
    QJsonObject saveState() const;
    void restoreState(const QJsonObject &state);

signals:
    void tableRequested(riffle::SliceRef slice);
    void comparisonRequested(riffle::SliceRef slice);
    void told(const QString &sentence); ///< why something led nowhere

protected:
    void refresh(Session::Changes changes) override;
    void showEvent(QShowEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeTools();
    void makePanes();
    void showSides();
    void placePanes();
    void findLanes();
    enum class Scroll : uint8_t { No, ToIt };
    void dropLanes();
    void showPartner(Scroll scroll);
    void select(SliceRef slice);
    void goToOther(SliceRef slice);
    void takeFocus(size_t side);
    void showRulers();
    void giveDeviceRoom(size_t side, int height);
    void describe();
    std::optional<size_t> sideOf(SliceRef slice) const;
    SliceRef partnerOf(SliceRef slice, size_t side) const;
    std::optional<TimeSpan> spanOf(SliceRef slice, size_t side) const;
    void showTogether(SliceRef slice, size_t side, SliceRef partner);

    ComparisonState *m_state;
    std::array<SideChooser *, 2> m_choosers{};
    std::array<QWidget *, 2> m_columns{}; ///< a chooser and the lanes below it
    std::array<Pane *, 2> m_panes{};
    std::array<TimelineView *, 2> m_timelines{};
    QSplitter *m_splitter;
    ElidedLabel *m_summary;
    QToolButton *m_swap, *m_beside, *m_linked;
    PaneLink *m_link = nullptr;
    std::array<int, 2> m_deviceWishes{};               ///< what giveDeviceRoom() set last
    size_t m_active = 0;                               ///< the side whose lanes had the focus last
    std::optional<std::array<SideChoice, 2>> m_placed; ///< the choice to whose parts the panes went
    std::optional<ComparedLanes> m_lanes;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
