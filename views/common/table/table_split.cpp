// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/table_split.h"

#include "views/common/table/summary_table.h"

#include <QEvent>
#include <QSplitter>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kLeastPercent = 40, kMostPercent = 70; ///< of the width, for the rows
} // namespace

TableSplit::TableSplit(QSplitter *split, const SummaryTable *table) : QObject(split), m_split(split), m_table(table)
{
    split->installEventFilter(this);
    connect(split, &QSplitter::splitterMoved, this, [this] { m_moved = true; });
    connect(table, &SummaryTable::columnsFitted, this, &TableSplit::divide);
}

bool TableSplit::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        divide();
    return QObject::eventFilter(watched, event);
}

void TableSplit::divide()
{
    if (m_moved || m_split->count() < 2 || m_split->widget(1)->isHidden())
        return;
    const int room = m_split->width() - m_split->handleWidth();
    const int rows = std::clamp(m_table->columnsWidth(), room * kLeastPercent / 100, room * kMostPercent / 100);
    if (const QList<int> sizes{rows, room - rows}; sizes != m_split->sizes())
        m_split->setSizes(sizes);
}

} // namespace riffle
