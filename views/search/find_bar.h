// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/view.h"
#include "views/search/find_answer.h"

#include <QPointer>

class QLabel;
class QLineEdit;

namespace riffle {

/// The text box of the window's bar for search, filter and go-to. While the user types, a list below it offers to find
/// the text, to show only slices with it, and to go to the place that it names, then the first slices found. Slices
/// found are emphasised in the lanes.
class FindBar : public View {
    Q_OBJECT
public:
    explicit FindBar(Session *session, QWidget *parent = nullptr);

    /// The kind of row that Enter chooses at first.
    enum class Wish { Find, Filter, Go };
    /// Moves the keyboard focus into the box.
    void activate(Wish wish = Wish::Find);
    const SearchHits &hits() const { return m_answer.hits; }
    bool settled() const { return m_jobs.idle(); }
    QLineEdit *box() const { return m_text; }
    /// The rows that the list shows, or would show.
    const QList<Choice> &rows() const { return m_choices; }
    ChoiceList *list() const { return m_list; } ///< null until it was first shown

public slots:
    void next();
    void previous();

signals:
    void left(); ///< the user is done with the box
    void settledChanged();
    void laneRequested(riffle::LaneRef lane);
    /// The parts of the whole range in which a slice was found that is emphasised now; empty if nothing is.
    void ticksChanged(const std::vector<bool> &ticks);

protected:
    void refresh(Session::Changes changes) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Row {
        enum class Kind { Find, Filter, Go, Hit, Hint } kind;
        size_t at = 0; ///< the destination, the hit or the hint
    };
    /// A question that is asked again because traces have grown leaves what it found in place until it is answered.
    enum class Reason : uint8_t { Question, Growth };
    void ask(Reason reason = Reason::Question);
    void take(FindAnswer answer, Reason reason = Reason::Question);
    void forget();
    void offer();
    void showList();
    void hideList();
    void choose(int row);
    void go(Destination to);
    void filter();
    void step(bool forwards);
    void showCount();
    bool pressed(const QKeyEvent &key);
    int wishedRow() const;

    QLineEdit *m_text;
    QLabel *m_count;
    QPointer<ChoiceList> m_list; ///< above the window's other widgets, so created when there is a window
    QList<Choice> m_choices;
    std::vector<Row> m_rows;
    FindAnswer m_answer;
    QString m_answered; ///< the text that m_answer is about
    Wish m_wish = Wish::Find;
    bool m_isEmphasised = false;
    bool m_isWanted = true;    ///< the user has not dropped the emphasis
    bool m_isOutdated = false; ///< the traces have changed since
    /// The action that waits for the answer, because the user was faster.
    enum class Then { Nothing, Choose, Next, Previous } m_then = Then::Nothing;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
