// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/summary_pane.h"

#include "model/analysis/summary/summary.h"
#include "views/common/look/limit_badge.h"
#include "views/summary/summary_side.h"

#include <QComboBox>
#include <QCoreApplication>

#include <utility>

namespace riffle {

SummaryPane::SummaryPane(Session *session, const std::vector<const char *> &words, QWidget *parent)
    : ResultView(
          session, Session::Narrowing,
          [this](const Session &now) {
              showLayouts(now);
              chooseCompared();
              return question(now);
          },
          parent)
    , m_view(new QComboBox(this))
    , m_grouping(new QComboBox(this))
    , m_layout(new QComboBox(this))
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
    m_layout->setAccessibleName(tr("Several traces"));
    m_layout->setToolTip(tr("How the rows of several traces are shown. Merged rows compare the column by which the "
                            "table is sorted, and ] goes to the trace with the largest value first."));
    for (const auto &[layout, title] :
         {std::pair(RankLayout::Merged, tr("merged")), std::pair(RankLayout::Columns, tr("a column per trace")),
          std::pair(RankLayout::RankByRank, tr("trace by trace"))})
        m_layout->addItem(title, static_cast<int>(layout));
    m_layout->hide();
    table()->addTool(m_grouping);
    table()->addTool(m_layout);
    table()->setSide(m_side);
    connect(this, &ResultView::answered, m_side, &SummarySide::refresh);
    fillGroupings();
    connect(m_view, &QComboBox::currentIndexChanged, this, [this] {
        fillGroupings();
        ask();
    });
    connect(m_grouping, &QComboBox::currentIndexChanged, this, &SummaryPane::ask);
    connect(m_layout, &QComboBox::currentIndexChanged, this, &SummaryPane::ask);
    connect(table(), &SummaryTable::stateChanged, this, &SummaryPane::followOrder);
}

bool SummaryPane::settled() const { return ResultView::settled() && m_side->settled(); }

const SummaryView *SummaryPane::current() const
{
    const int at = m_view->currentIndex();
    return at < 0 || static_cast<size_t>(at) >= m_views.size() ? nullptr : m_views[static_cast<size_t>(at)];
}

QString SummaryPane::word() const { return m_view->currentData().toString(); }

QString SummaryPane::grouping() const { return m_grouping->currentData().toString(); }

RankLayout SummaryPane::rankLayout() const { return static_cast<RankLayout>(m_layout->currentData().toInt()); }

void SummaryPane::choose(RankLayout layout) { m_layout->setCurrentIndex(m_layout->findData(static_cast<int>(layout))); }

void SummaryPane::showLayouts(const Session &session)
{
    const SummaryView *view = current();
    m_layout->setVisible(view && view->canBeMerged(grouping().toStdString()) &&
                         session.traces().loadedOf(session.request().traces).size() > 1);
}

void SummaryPane::chooseCompared()
{
    const ResultTable &shown = table()->table();
    const ResultColumn *column = shown.column(table()->sortedBy().toStdString());
    const bool isComparable =
        !column || (column->kind != CellKind::Text && !column->isId && column->key != kTracesColumn);
    if (isComparable && (rankLayout() != RankLayout::Columns || shown.columns.empty()))
        m_compared = table()->sortedBy();
}

void SummaryPane::followOrder()
{
    const QString before = m_compared;
    chooseCompared();
    if (m_compared != before && !m_layout->isHidden() && rankLayout() != RankLayout::RankByRank)
        ask();
}

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
    request.layout = rankLayout();
    request.spread = m_compared.toStdString();
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
