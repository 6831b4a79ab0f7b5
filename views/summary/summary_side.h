// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/session.h"

#include <QStackedWidget>

class QTextBrowser;

namespace riffle {

class BarChart;
class HistogramChart;
class IcicleChart;
class StackPane;
class SummaryTable;

/// The widget beside a summary table for what the rows cannot show: steps as stacked bars, the durations of the current
/// kernel's slices, modules and stacks as an icicle, the sentences of the current finding, or the slices around the
/// current allocation. Hidden beside other tables. It shares its current row with the table.
class SummarySide : public QStackedWidget {
    Q_OBJECT
public:
    SummarySide(Session *session, SummaryTable *table, QWidget *parent);
    QSize sizeHint() const override { return {320, 200}; } // the rows beside it need room, too
    bool settled() const { return m_jobs.idle(); }
    /// Shows the new contents of the table.
    void refresh();

private:
    void showTree();
    void showDurations();
    void showSentences();
    void showStack();
    void followTable();

    Session *m_session;
    SummaryTable *m_table;
    BarChart *m_steps;
    HistogramChart *m_durations;
    IcicleChart *m_tree;
    QTextBrowser *m_sentences;
    StackPane *m_stack;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
