// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"

#include <vector>

class QComboBox;

namespace riffle {

class SummarySide;
struct SummaryView;

/// Tables of the summary for what is selected: one view of them, or several to choose from, with the view's groupings.
class SummaryPane : public ResultView {
    Q_OBJECT
public:
    /// `words`: of summaryViews(); those that do not exist are left out.
    SummaryPane(Session *session, const std::vector<const char *> &words, QWidget *parent = nullptr);

    bool settled() const; ///< what stands beside the table, too
    QString grouping() const;
    void choose(const QString &word, const QString &grouping = {});

private:
    Work question(const Session &session) const;
    void fillGroupings();
    const SummaryView *current() const;

    std::vector<const SummaryView *> m_views;
    QComboBox *m_view;
    QComboBox *m_grouping;
    SummarySide *m_side;
};

} // namespace riffle
