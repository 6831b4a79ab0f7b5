// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/result_view.h"

#include "views/common/look/as_of_label.h"
#include "views/common/look/limit_badge.h"
#include "views/common/look/part_of_ranks.h"
#include "views/common/look/qt_text.h"

#include <QProgressBar>
#include <QVBoxLayout>

#include <utility>

namespace riffle {

namespace {
constexpr int kPatienceMs = 200; ///< if the answer arrives sooner, no busy line is shown
}

ResultView::ResultView(Session *session, Session::Changes interest, Question question, QWidget *parent)
    : View(session, interest | Session::Answers | Session::Selection | Session::Load, parent)
    , m_interest(interest | Session::Answers)
    , m_question(std::move(question))
    , m_table(new SummaryTable(session, this))
    , m_badge(new LimitBadge(session, this))
    , m_asOf(new AsOfLabel(this))
    , m_busy(new QProgressBar(this))
    , m_jobs(this)
{
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedHeight(3);
    m_busy->setAccessibleName(tr("Computing"));
    QSizePolicy policy = m_busy->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // so that the rows do not move when it appears
    m_busy->setSizePolicy(policy);
    m_busy->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 1, 6, 4);
    layout->setSpacing(1);
    layout->addWidget(m_busy);
    layout->addWidget(m_table, 1);
    setFocusProxy(m_table);
    m_busySoon.setSingleShot(true);
    m_busySoon.setInterval(kPatienceMs);
    connect(&m_busySoon, &QTimer::timeout, m_busy, &QWidget::show);
    m_table->addBadge(m_badge);
    m_table->addBadge(m_asOf);
    m_partOfRanks = new PartOfRanks(session, this);
    m_table->addBadge(m_partOfRanks);
    connect(m_table, &SummaryTable::exportRequested, this, &ResultView::exportRequested);
}

void ResultView::refresh(Session::Changes changes)
{
    if (changes & m_interest || (changes & Session::Load && !m_asks))
        askBecause((changes & m_interest) == Session::Changes(Session::Renewed) ? Reason::Growth : Reason::Question);
    else
        m_table->showRowOf(session()->selected());
}

void ResultView::setOfAllRanks()
{
    delete m_partOfRanks;
    m_partOfRanks = nullptr;
}

void ResultView::ask() { askBecause(Reason::Question); }

void ResultView::askBecause(Reason reason)
{
    const QString key = QStringLiteral("table");
    const Work work = m_question(*session());
    if (work && !std::exchange(m_asks, true))
        m_table->setTable(ResultTable()); // why there was nothing to ask is no longer true
    if (!work) {
        m_asks = false;
        m_jobs.cancel(key);
        m_asOf->say({});
        ResultTable nothing;
        nothing.setEmpty(invitation());
        answer(std::move(nothing), reason);
        return;
    }
    if (reason == Reason::Question && !m_busySoon.isActive() && m_busy->isHidden())
        m_busySoon.start();
    m_jobs.run(
        key, session()->inTurn(work),
        [this, reason, asOf = session()->factsAsOf()](ResultTable table) mutable {
            if (m_isOfWhole)
                asOf.newest.reset();
            m_asOf->say(asOf);
            answer(std::move(table), reason);
        },
        [this, reason](const QString &why) {
            ResultTable nothing; // the rows of an earlier question would look like an answer
            nothing.absence = toUtf8(tr("This view could not be computed. %1").arg(why));
            answer(std::move(nothing), reason);
        });
}

void ResultView::setInvitation(const QString &text, EmptyAction action)
{
    m_invitation = {EmptyReason::NotAsked, toUtf8(text), action, {}, 0};
}

EmptyState ResultView::invitation() const
{
    const EmptyFacts known = session()->emptyFacts();
    if (!known.open || !known.hasEvents)
        return emptyState(known);
    return m_invitation;
}

void ResultView::answer(ResultTable table, Reason reason)
{
    m_busySoon.stop();
    m_busy->hide();
    m_table->setTable(std::move(table));
    if (reason == Reason::Question)
        m_table->showRowOf(session()->selected());
    emit answered();
}

} // namespace riffle
