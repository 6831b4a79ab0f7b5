// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/comparison_table.h"

#include "views/common/look/limit_badge.h"

#include <QComboBox>
#include <QCoreApplication>

#include <algorithm>

namespace riffle {

ComparisonTable::ComparisonTable(ComparisonState *state, QWidget *parent)
    : ResultView(
          state->session(), Session::Steps, [this](const Session &) { return question(); }, parent)
    , m_state(state)
    , m_view(new QComboBox(this))
{
    for (const CompareView &view : compareViews())
        m_view->addItem(QCoreApplication::translate("riffle::CompareView", view.title), QString::fromLatin1(view.word));
    m_view->setAccessibleName(tr("Table"));
    m_view->setMaxVisibleItems(m_view->count());
    table()->addTool(m_view);
    badge()->setIgnored(narrowed_by::Everything);
    connect(m_view, &QComboBox::currentIndexChanged, this, &ComparisonTable::ask);
    connect(m_state, &ComparisonState::changed, this, [this](ComparisonState::Changes changes) {
        if (changes & ComparisonState::Choice)
            markDirty(Session::Steps);
    });
}

QString ComparisonTable::word() const { return m_view->currentData().toString(); }

void ComparisonTable::choose(const QString &word) { m_view->setCurrentIndex(std::max(0, m_view->findData(word))); }

ResultView::Work ComparisonTable::question() const
{
    const CompareView *view = findCompareView(word().toStdString());
    const auto comparison = m_state->comparison();
    if (!view || !comparison)
        return {};
    return [view, comparison](const std::stop_token &stop) {
        return comparison->table(*view, stop).value_or(ResultTable());
    };
}

} // namespace riffle
