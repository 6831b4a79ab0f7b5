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

class AsOfLabel;
class LimitBadge;
class PartOfRanks;

/// A view that shows the answer to one question as a table. When something of interest changes, it asks again outside
/// the GUI thread. Only the newest question is answered; the old rows stay until the new ones arrive.
class ResultView : public View {
    Q_OBJECT
public:
    /// Computes the table on a worker, so it must own everything it needs and return soon when stopped.
    using Work = std::function<ResultTable(std::stop_token)>;
    /// Called on the GUI thread for each question. If it returns no work, the table says why: no trace is open, or what
    /// the invitation says.
    using Question = std::function<Work(const Session &)>;

    ResultView(Session *session, Session::Changes interest, Question question, QWidget *parent = nullptr);

    SummaryTable *table() const { return m_table; }
    /// True if the shown table answers the newest question.
    bool settled() const { return m_jobs.idle(); }
    /// Shown instead of rows while a trace is open but there is nothing to ask. `action` is what a click does about it.
    void setInvitation(const QString &text, EmptyAction action = EmptyAction::None);
    /// The limits of the view, for the badge in its header (LimitBadge::setIgnored()).
    LimitBadge *badge() const { return m_badge; }
    /// The answers are about whole traces, also of recordings of which facts() are about the newest part.
    void setOfWholeTraces() { m_isOfWhole = true; }
    /// The answers do not depend on which ranks are in memory.
    void setOfAllRanks();
    /// Asks again for a reason other than a change of the session.
    void ask();

signals:
    /// The user wants to save what is shown.
    void exportRequested(const QString &suggestedName, const QString &text);
    void answered(); ///< a new table is shown

protected:
    void refresh(Session::Changes changes) override;

private:
    /// An answer to the same question about traces that have grown leaves the table where it is.
    enum class Reason : uint8_t { Question, Growth };
    void askBecause(Reason reason);
    void answer(ResultTable table, Reason reason);
    EmptyState invitation() const;

    Session::Changes m_interest;
    Question m_question;
    EmptyState m_invitation;
    bool m_isOfWhole = false;
    bool m_asks = false; ///< there is something to ask
    SummaryTable *m_table;
    LimitBadge *m_badge;
    AsOfLabel *m_asOf; ///< of the table that is shown
    PartOfRanks *m_partOfRanks;
    QProgressBar *m_busy;
    QTimer m_busySoon;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
