// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_engine.h"
#include "views/common/session/jobs.h"
#include "views/common/session/view.h"

#include <QJsonObject>
#include <QTimer>

class QHBoxLayout;
class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace riffle {

class QueryEditor;
class SummaryTable;

/// Queries the traces in SQL: an editor, and the answer as a table. Rows with a slice lead to it, and all these slices
/// can be emphasised in the timeline.
class QueryView : public View {
    Q_OBJECT
public:
    explicit QueryView(Session *session, QWidget *parent = nullptr);

    QueryEditor *editor() const { return m_editor; }
    SummaryTable *table() const { return m_table; }
    /// The message about the last query: how long it took, or what is wrong with it.
    QString message() const;
    bool settled() const { return m_jobs.idle(); }

    /// The queries, and the look of the table.
    QJsonObject state() const;
    void restoreState(const QJsonObject &state);

public slots:
    void run();
    void stop();
    /// Emphasises the slices of all rows; a second call ends the emphasis.
    void highlightRows();
    /// Shows the rows as a lane of the timeline, or removes the lane.
    void setLaneShown(bool shown);

signals:
    void exportRequested(const QString &suggestedName, const QString &text);
    void stateChanged();

protected:
    void refresh(Session::Changes changes) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void makeTools(QHBoxLayout *bar);
    void showNothing();
    void fillHistory(QMenu *menu);
    void say(const QString &what, bool wrong = false);
    void answer(Result<ResultTable> table, Ns took);
    void sayIfOutdated();
    void showProgress();
    void setRunning(bool running);
    void goToRow();
    void updateTools();

    QueryEditor *m_editor;
    QToolButton *m_run;
    QToolButton *m_stop;
    QToolButton *m_highlight;
    QToolButton *m_lane;
    QLabel *m_message;
    QProgressBar *m_busy;
    SummaryTable *m_table;
    std::shared_ptr<QueryEngine> m_engine; ///< created by the first query about these traces
    uint64_t m_opening = 0;                ///< the opening() of the session that the rows belong to
    bool m_ofOthers = true;                ///< the rows belong to traces that are no longer open
    std::shared_ptr<Progress> m_progress;  ///< of the running query
    QString m_asked;                       ///< the query that was answered
    /// A trace as a query sees it.
    struct Queried {
        TraceId id;
        uint64_t slices;
        TimeMap time;
        bool operator==(const Queried &) const = default;
    };
    static std::vector<Queried> queried(const TraceSet &traces);
    std::vector<Queried> m_queried; ///< the traces that the shown rows are from; empty if none are shown
    int m_lanes = 0;                ///< number of lanes created from results
    std::string m_laneKey;          ///< of the lane that shows the rows; the lane may be gone
    QTimer m_look;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
