// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/result_view.h"

#include "views/common/look/qt_text.h"

#include <QProgressBar>
#include <QVBoxLayout>

namespace riffle {

namespace {
constexpr int kPatienceMs = 200; ///< if the answer arrives sooner, no busy line is shown
}

ResultView::ResultView(Session *session, Session::Changes interest, Question question, QWidget *parent)
    : View(session, interest | Session::Traces | Session::Selection, parent)
    , m_interest(interest | Session::Traces)
    , m_question(std::move(question))
    , m_table(new SummaryTable(session, this))
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
    connect(m_table, &SummaryTable::exportRequested, this, &ResultView::exportRequested);
}

void ResultView::refresh(Session::Changes changes)
{
    if (changes & m_interest)
        ask();
    else
        m_table->showRowOf(session()->selected());
}

void ResultView::ask()
{
    const QString key = QStringLiteral("table");
    const Work work = m_question(*session());
    if (!work) {
        m_jobs.cancel(key);
        ResultTable nothing;
        nothing.absence = toUtf8(m_invitation);
        answer(std::move(nothing));
        return;
    }
    if (!m_busySoon.isActive() && m_busy->isHidden())
        m_busySoon.start();
    m_jobs.run(key, work, [this](ResultTable table) { answer(std::move(table)); });
}

void ResultView::answer(ResultTable table)
{
    m_busySoon.stop();
    m_busy->hide();
    m_table->setTable(std::move(table));
    m_table->showRowOf(session()->selected());
    emit answered();
}

} // namespace riffle
