// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/merged_table.h"
#include "views/common/session/jobs.h"
#include "views/common/session/view.h"
#include "views/common/table/row_links.h"
#include "views/summary/finding_card.h"

#include <functional>
#include <memory>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace riffle {

class AsOfLabel;
class BarChart;
class EmptyNotice;
class FigureGrid;
struct Figures;
class LimitBadge;

/// One page about where the time went: the first findings, then charts and figures, in as many columns as fit, and what
/// is known about the file folded at the end. All of it follows the session's area and filters.
class OverviewPage : public View {
    Q_OBJECT
public:
    explicit OverviewPage(Session *session, QWidget *parent = nullptr);
    /// True if all sections answer the newest question.
    bool settled() const { return m_jobs.idle(); }

signals:
    void timelineRequested();

protected:
    void refresh(Session::Changes changes) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *addCard(const QString &title, QWidget *content);
    void fold(QWidget *card, const QString &title);
    /// Shows the figures, or hides the card of the grid if there are none.
    static void put(FigureGrid *grid, const Figures &figures);
    struct Overviews {
        ResultTable byTrace;
        ResultTable merged; ///< empty if there are few traces
    };
    void askOverview();
    void ask(const char *view, RankLayout layout, std::function<void(ResultTable)> show);
    void showOverview(const Overviews &overviews);
    void showSteps(ResultTable table);
    void showFindings(ResultTable table);
    void showFindingCards(std::vector<FindingCard::Content> contents, const QString &note);
    void showEmpty(const EmptyState &state);
    void showNotes();
    void arrange();

    LimitBadge *m_badge;
    AsOfLabel *m_asOf;
    EmptyNotice *m_empty;
    QLabel *m_notes;
    QScrollArea *m_scroll;
    QHBoxLayout *m_columns;
    std::vector<QWidget *> m_cards;
    FigureGrid *m_traced, *m_parts, *m_devices, *m_launches, *m_idle, *m_kernels;
    BarChart *m_steps;
    QWidget *m_findings;
    std::vector<FindingCard::Content> m_findingContents; ///< that m_findings shows
    QString m_findingNote;
    QPushButton *m_lanes; ///< leads to the timeline
    QStringList m_overviewNotes, m_stepNotes;
    RowLinks m_stepLinks, m_findingLinks;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
