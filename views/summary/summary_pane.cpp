// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/summary_pane.h"

#include "model/analysis/summary/summary.h"
#include "views/common/look/limit_badge.h"
#include "views/summary/summary_side.h"

#include <QComboBox>
#include <QCoreApplication>

namespace riffle {

SummaryPane::SummaryPane(Session *session, const std::vector<const char *> &words, QWidget *parent)
    : ResultView(
          session, Session::Narrowing, [this](const Session &now) { return question(now); }, parent)
    , m_view(new QComboBox(this))
    , m_grouping(new QComboBox(this))
    , m_side(new SummarySide(session, table(), this))
{
    for (const char *word : words)
        if (const SummaryView *view = findSummaryView(word)) {
            m_views.push_back(view);
            m_view->addItem(QCoreApplication::translate("riffle::SummaryView", view->title),
                            QString::fromLatin1(view->word));
        }
    m_view->setAccessibleName(tr("Table"));
    m_view->setVisible(m_views.size() > 1);
    m_grouping->setAccessibleName(tr("Group by"));
    m_grouping->setToolTip(tr("How slices are grouped into rows"));
    table()->addTool(m_view);
    table()->addTool(m_grouping);
    table()->setSide(m_side);
    connect(this, &ResultView::answered, m_side, &SummarySide::refresh);
    fillGroupings();
    connect(m_view, &QComboBox::currentIndexChanged, this, [this] {
        fillGroupings();
        ask();
    });
    connect(m_grouping, &QComboBox::currentIndexChanged, this, &SummaryPane::ask);
}

bool SummaryPane::settled() const { return ResultView::settled() && m_side->settled(); }

const SummaryView *SummaryPane::current() const
{
    const int at = m_view->currentIndex();
    return at < 0 || static_cast<size_t>(at) >= m_views.size() ? nullptr : m_views[static_cast<size_t>(at)];
}

QString SummaryPane::grouping() const { return m_grouping->currentData().toString(); }

void SummaryPane::choose(const QString &word, const QString &grouping)
{
    m_view->setCurrentIndex(std::max(0, m_view->findData(word)));
    m_grouping->setCurrentIndex(std::max(0, m_grouping->findData(grouping)));
}

void SummaryPane::fillGroupings()
{
    const QSignalBlocker quiet(m_grouping);
    m_grouping->clear();
    const SummaryView *view = current();
    for (const char *grouping : view ? view->groupings : std::vector<const char *>{})
        m_grouping->addItem(tr("by %1").arg(QString::fromLatin1(grouping)
                                                .replace(QLatin1Char(','), tr(" and "))
                                                .replace(QLatin1String("bound-by"), tr("limiting factor"))),
                            QString::fromLatin1(grouping));
    m_grouping->setVisible(m_grouping->count() > 1);
    badge()->setIgnored(view ? view->ignores : 0);
}

ResultView::Work SummaryPane::question(const Session &session) const
{
    const SummaryView *view = current();
    if (session.traces().empty() || !view)
        return {};
    SummaryRequest request = session.request();
    request.view = view->word;
    request.groupBy = grouping().toStdString();
    return [facts = session.facts(), request](std::stop_token stop) {
        auto table = summarize(*facts, request, {std::move(stop), nullptr});
        if (table)
            return std::move(*table);
        ResultTable none;
        none.absence = table.error().text();
        return none;
    };
}

} // namespace riffle
