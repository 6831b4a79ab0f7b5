// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "views/common/session/session.h"
#include "views/timeline/slice_colours.h"

#include <QImage>
#include <QJsonObject>
#include <QWidget>

class QLineEdit;

namespace riffle {

class EmptyNotice;
struct Hit;
class HoverCard;
class LaneDivider;
class LaneGestures;
class LaneLabels;
class LaneScrollBars;
class LanesCanvas;
class Minimap;
class MinimapLegend;
class Navigation;
class StepRibbon;
class TimeRuler;
class TimelineState;

/// The timeline of a pane: minimap, ruler, steps, and lanes with their labels. It has the keyboard focus for all of
/// them.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(Pane *pane, QWidget *parent = nullptr);
    ~TimelineView() override;

    /// The timeline as it looks in a widget of this size, with everything that is computed in the background.
    QImage renderImage(QSize size);
    /// Shows the lanes and the minimap of a file that is still being read, until the first traces of the session
    /// replace them.
    void setPreview(const LoadPreview &preview);
    /// Selects a slice and brings it into view.
    void reveal(SliceRef slice);
    /// Pins, folds, order, heights, frames, filter, width of the labels, unit of time, the critical path, what colours
    /// show: for session files and the next start.
    QJsonObject saveState() const;
    void restoreState(const QJsonObject &state);
    bool absoluteTime() const;
    void setAbsoluteTime(bool on);
    bool showsCriticalPath() const;
    void showCriticalPath(bool on);
    ColourMode colourMode() const;
    void setColourMode(ColourMode mode);
    bool isGroupedByName() const;
    void groupByName(bool on); ///< the lanes of several ranks
    bool showsAllFrames() const;
    void showAllFrames(bool on); ///< also the plumbing of Python lanes
    void foldAll();              ///< the ranks, or the groups of a single trace
    void unfoldAll();
    /// Leaves out the minimap and the steps for good, and the ruler with the filter of lanes unless it is wanted: for
    /// small panes.
    void setSlim(bool withRuler);
    void setLabelWidth(int width); ///< of the names of lanes, in logical pixels
    bool settled() const;          ///< true if nothing is being computed in the background
    /// Waits until the view is settled.
    void finishJobs();

    Navigation &navigation() { return *m_navigation; }
    LanesCanvas &canvas() { return *m_canvas; }
    LaneLabels &labels() { return *m_labels; }
    LaneDivider &divider() { return *m_divider; }
    TimeRuler &ruler() { return *m_ruler; }
    StepRibbon &steps() { return *m_steps; }
    Minimap &minimap() { return *m_minimap; }
    HoverCard &hoverCard() { return *m_card; }
    HoverCard &heldCard() { return *m_heldCard; }
    TimelineState &state() { return *m_state; }

signals:
    void tableRequested(riffle::SliceRef slice);      ///< the table with the row of the slice
    void comparisonRequested(riffle::SliceRef slice); ///< of its step or trace with another one
    void told(const QString &sentence);               ///< why a key led nowhere
    /// Something that saveState() returns has changed.
    void stateChanged();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool event(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void build();
    void placeDivider();
    void showCard(const Hit &hit, QPoint at);
    void holdCard(bool on);
    void describe();
    void explainEmptiness();
    void help(const EmptyState &state);

    Pane *m_pane;
    Session *m_session;
    TimelineState *m_state;
    Navigation *m_navigation;
    Minimap *m_minimap;
    MinimapLegend *m_legend;
    TimeRuler *m_ruler;
    StepRibbon *m_steps;
    LaneLabels *m_labels;
    LanesCanvas *m_canvas;
    LaneGestures *m_gestures;
    HoverCard *m_card;
    HoverCard *m_heldCard; ///< with which the other one is compared while Alt is held
    QLineEdit *m_filter;
    QWidget *m_filterBox;
    LaneScrollBars *m_scrollBars;
    LaneDivider *m_divider;
    EmptyNotice *m_empty; ///< covers the lanes while there are none
    int m_labelWidth = 230;
};

} // namespace riffle
