// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/view.h"
#include "views/ranks/ranks_answer.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QScrollArea;
class QSplitter;

namespace riffle {

class EmptyNotice;
class HeatMap;
class RankGrid;
struct HeatMapData;

/// The page about the ranks of a run: a grid of the ranks with what was found of each, what is known about the run, and
/// a heat map rank × step. One figure of the step summary colours both. It reads the small facts about the ranks alone,
/// so no trace has to be loaded. A cell leads to its rank and step in the timeline, and what is selected there is the
/// current cell here.
class RanksPage : public View {
    Q_OBJECT
public:
    explicit RanksPage(Session *session, QWidget *parent = nullptr);
    /// True if what is shown answers the newest question, and all ranks are known that can be.
    bool settled() const;

    RankGrid *grid() const { return m_grid; }
    HeatMap *map() const { return m_map; }
    QComboBox *figureBox() const { return m_figure; }
    QString sideText() const; ///< what is known about the run, as plain text
    const std::vector<RankRow> &rows() const { return m_rows; }

signals:
    void timelineRequested();
    /// Two files of one rank, or two runs, are to be compared. Not offered while nobody receives it.
    void comparisonRequested(const riffle::ComparedPair &pair);

protected:
    void refresh(Session::Changes changes) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    /// The ranks and steps that the heat map shows, which the session may have left behind.
    struct Shown {
        std::vector<RankRow> rows;
        std::shared_ptr<const StepGrid> steps;
        std::shared_ptr<const std::vector<int64_t>> values;
    };
    void makeHead();
    void ask();
    void showRuns();
    void showAxes();
    void showCells();
    void showFigures(const RankFigures &figures);
    void showMap(HeatMapData map, const Shown *before);
    void showSelection();
    void showEmpty();
    void follow(int row);
    void goToCell(int row, int column);
    void goToRank(int cell);
    int cellOf(const std::vector<RankRow> &rows, int row) const;
    int rowOf(const std::vector<RankRow> &rows, int cell) const;
    void goTo(TraceId member, TimeSpan span, SliceId mark);
    void revealWanted();
    void fitSide();
    QStringList aboutCell(const Shown &shown, int row, int column) const;
    bool isBeingRecorded(const RankRow &row) const;
    const StepFigure &figure() const;
    bool isDifference() const;

    QLabel *m_title;
    QComboBox *m_run, *m_figure, *m_axes;
    QCheckBox *m_difference;
    QSplitter *m_parts;
    RankGrid *m_grid;
    QLabel *m_legend, *m_side, *m_mapTitle;
    QScrollArea *m_sideScroll;
    bool m_isFigureChosen = false; ///< by the user
    bool m_owesSelection = true;   ///< the selected slice is still to become the current cell
    HeatMap *m_map;
    EmptyNotice *m_empty, *m_noSteps;
    std::vector<RankRow> m_rows;                         ///< that the grid shows
    std::shared_ptr<const StepGrid> m_steps;             ///< of m_rows; null until they are there
    std::shared_ptr<const Shown> m_shown;                ///< by the heat map; null before the first answer
    std::optional<std::pair<TraceId, SliceId>> m_wanted; ///< to be revealed once its trace is there
    Jobs m_jobs;                                         // last: its destructor waits for jobs
};

} // namespace riffle
