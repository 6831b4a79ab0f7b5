// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/search.h"
#include "views/common/session/jobs.h"
#include "views/common/session/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace riffle {

/// Finds slices by name, expression or category, steps through them and emphasises them in the lanes. Hidden until the
/// user opens it.
class SearchBar : public View {
    Q_OBJECT
public:
    explicit SearchBar(Session *session, QWidget *parent = nullptr);

    /// Shows the bar and moves the keyboard focus into it.
    void activate();
    const SearchHits &hits() const { return m_hits; }
    bool settled() const { return m_jobs.idle(); }

public slots:
    void next();
    void previous();
    /// Hides the bar and ends the emphasis.
    void dismiss();

signals:
    void closed();
    void settledChanged();

protected:
    void refresh(Session::Changes changes) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    SearchQuery query() const;
    void search();
    void take(Result<SearchHits> hits);
    void step(bool forwards);
    void showCount();

    QLineEdit *m_text;
    QComboBox *m_mode;
    QToolButton *m_case;
    QToolButton *m_arguments;
    QLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
    SearchHits m_hits;
    QString m_trouble;
    bool m_isOutdated = false; ///< the traces have changed while the bar was hidden
    int m_stepWhenFound = 0;   ///< +1 or -1 if Enter was pressed before the answer arrived
    Jobs m_jobs;               // last: its destructor waits for jobs
};

} // namespace riffle
