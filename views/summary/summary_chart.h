// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/jobs.h"
#include "views/common/session.h"

#include <QStackedWidget>

namespace riffle {

class BarChart;
class HistogramChart;
class IcicleChart;
class SummaryTable;

/// The picture beside a table of the summary, where one says more than rows: steps as stacked bars, how long the slices of
/// the current kernel take, modules and stacks as an icicle. Hidden beside other tables. Chart and table share their current row.
class SummaryChart : public QStackedWidget {
    Q_OBJECT
public:
    SummaryChart(Session *session, SummaryTable *table, QWidget *parent);
    QSize sizeHint() const override { return {320, 200}; } // rows need their room, too
    bool settled() const { return m_jobs.idle(); }
    /// Takes over a new table.
    void refresh();

private:
    void showTree();
    void showDurations();
    void followTable();

    Session *m_session;
    SummaryTable *m_table;
    BarChart *m_steps;
    HistogramChart *m_durations;
    IcicleChart *m_tree;
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
