// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/view.h"
#include "views/common/table/summary_table.h"

#include <QTimer>

#include <functional>

class QProgressBar;

namespace riffle {

/// A view that shows the answer to one question as a table. It asks anew whenever what it is interested in changes, off
/// the GUI thread and the newest question only, and keeps the old rows until the new ones are there.
class ResultView : public View {
    Q_OBJECT
public:
    /// The work that makes the table: run on a worker, so it must hold all it needs, and return soon when stopped.
    using Work = std::function<ResultTable(std::stop_token)>;
    /// Asked on the GUI thread for each question; no work: the table is what `idle` says, or empty.
    using Question = std::function<Work(const Session &)>;

    ResultView(Session *session, Session::Changes interest, Question question, QWidget *parent = nullptr);

    SummaryTable *table() const { return m_table; }
    /// True once what is shown answers the newest question.
    bool settled() const { return m_jobs.idle(); }
    /// Shown instead of rows while there is nothing to ask.
    void setInvitation(const QString &text) { m_invitation = text; }
    /// Asks again, for reasons other than a change of the session.
    void ask();

signals:
    /// Wants what is shown saved by the user's choice of place.
    void exportRequested(const QString &suggestedName, const QString &text);
    void answered(); ///< a new table is shown

protected:
    void refresh(Session::Changes changes) override;

private:
    void answer(ResultTable table);

    Session::Changes m_interest;
    Question m_question;
    QString m_invitation;
    SummaryTable *m_table;
    QProgressBar *m_busy;
    QTimer m_busySoon;
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
