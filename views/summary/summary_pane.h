// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"

#include <vector>

class QComboBox;

namespace riffle {

class SummarySide;
struct SummaryView;

/// The summary tables for the session's area and filters: one view, or several to choose from, with the view's
/// groupings.
class SummaryPane : public ResultView {
    Q_OBJECT
public:
    /// `words` name the views of summaryViews() to choose from; unknown words are skipped.
    SummaryPane(Session *session, const std::vector<const char *> &words, QWidget *parent = nullptr);

    bool settled() const; ///< includes the widget beside the table
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
