// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/merged_table.h"
#include "views/common/table/result_view.h"

#include <vector>

class QComboBox;

namespace riffle {

class SummarySide;
struct SummaryView;

/// The summary tables for the session's area and filters: one view, or several to choose from, with the view's
/// groupings and, for several traces, the layout of their rows. The column that the layout compares is the one by which
/// the user sorts.
class SummaryPane : public ResultView {
    Q_OBJECT
public:
    /// `words` name the views of summaryViews() to choose from; unknown words are skipped.
    SummaryPane(Session *session, const std::vector<const char *> &words, QWidget *parent = nullptr);

    bool settled() const; ///< includes the widget beside the table
    QString word() const; ///< the word of the current view
    QString grouping() const;
    RankLayout rankLayout() const; ///< the user's choice, for views of several traces that have a choice
    void choose(RankLayout layout);
    void choose(const QString &word, const QString &grouping = {});

private:
    Work question(const Session &session) const;
    void fillGroupings();
    void showLayouts(const Session &session);
    /// Compares the traces by the column by which the user sorts, unless it is a name, or a trace's own column.
    void chooseCompared();
    void followOrder();
    const SummaryView *current() const;

    std::vector<const SummaryView *> m_views;
    QComboBox *m_view;
    QComboBox *m_grouping;
    QComboBox *m_layout;
    QString m_compared; ///< the key of the column that merged rows compare; the view's own choice if empty
    SummarySide *m_side;
};

} // namespace riffle
