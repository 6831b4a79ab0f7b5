// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The copies, exports, menus and saved state of a table.
#include "views/common/table/summary_table.h"

#include "model/analysis/table/table_text.h"
#include "views/common/look/qt_text.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QJsonArray>
#include <QMenu>
#include <QTreeView>

#include <algorithm>

namespace riffle {

std::vector<uint32_t> SummaryTable::chosenRows() const
{
    std::vector<uint32_t> rows = m_rows->shownRows();
    const QModelIndexList selected = m_view->selectionModel()->selectedRows();
    if (!selected.isEmpty()) {
        std::vector<uint8_t> wanted(table().rows(), 0);
        for (const QModelIndex &index : selected)
            wanted[m_rows->tableRow(index)] = 1;
        std::erase_if(rows, [&](uint32_t row) { return !wanted[row]; });
    }
    return rows;
}

std::vector<size_t> SummaryTable::shownColumns() const
{
    std::vector<size_t> columns;
    for (int column = 0; column < m_rows->columnCount(); ++column)
        if (columnShown(column))
            columns.push_back(static_cast<size_t>(column));
    return columns;
}

QString SummaryTable::tableText() const
{
    std::string text;
    const std::vector<size_t> columns = shownColumns();
    const auto addLine = [&](const auto &cell) {
        for (const size_t column : columns)
            (text += cell(table().columns[column])) += '\t';
        text.back() = '\n';
    };
    addLine([](const ResultColumn &column) { return column.title; });
    for (const uint32_t row : chosenRows()) {
        if (!table().depth.empty())
            text.append(2 * table().depth[row], ' ');
        addLine([row, origin = table().origin](const ResultColumn &column) {
            std::string cell = cellText(column, row, origin);
            std::replace_if(
                cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
            return cell;
        });
    }
    return toQString(text);
}

void SummaryTable::copy() const
{
    if (table().rows() > 0)
        QApplication::clipboard()->setText(tableText());
}

void SummaryTable::exportAs(const QString &format)
{
    const std::vector<uint32_t> rows = m_rows->shownRows();
    const std::string text = format == QLatin1String("json") ? tableJson(table(), rows) : tableCsv(table(), rows);
    emit exportRequested(toQString(table().view) + QLatin1Char('.') + format, toQString(text));
}

QJsonObject SummaryTable::state() const
{
    QJsonArray order;
    for (const auto &[key, descending] : m_orderWanted)
        order.append(QJsonObject{{QStringLiteral("column"), key}, {QStringLiteral("descending"), descending}});
    QJsonObject columns;
    for (auto at = m_columnsShown.begin(); at != m_columnsShown.end(); ++at)
        columns.insert(at.key(), at.value());
    return {{QStringLiteral("order"), order}, {QStringLiteral("columns"), columns}};
}

void SummaryTable::restoreState(const QJsonObject &state)
{
    m_orderWanted.clear();
    for (const QJsonValue &value : state[QStringLiteral("order")].toArray())
        m_orderWanted.emplace_back(value[QStringLiteral("column")].toString(),
                                   value[QStringLiteral("descending")].toBool());
    m_columnsShown.clear();
    const QJsonObject columns = state[QStringLiteral("columns")].toObject();
    for (auto at = columns.begin(); at != columns.end(); ++at)
        m_columnsShown[at.key()] = at.value().toBool();
    m_fitted.clear();
    setTable(ResultTable(table()));
}

std::vector<ResultRowModel::Order> SummaryTable::wantedOrder() const
{
    std::vector<ResultRowModel::Order> order;
    for (const auto &[key, descending] : m_orderWanted)
        for (int column = 0; column < m_rows->columnCount(); ++column)
            if (toQString(table().columns[static_cast<size_t>(column)].key) == key)
                order.push_back({column, descending});
    return order;
}

bool SummaryTable::columnShown(int column) const
{
    const ResultColumn &known = table().columns[static_cast<size_t>(column)];
    if (column == 0 && !known.hidden)
        return true;
    return m_columnsShown.value(toQString(known.key),
                                !known.hidden && !(known.prose && hasSide()) && !m_rows->allAbsent(column));
}

void SummaryTable::setColumnShown(int column, bool shown)
{
    m_columnsShown[toQString(table().columns[static_cast<size_t>(column)].key)] = shown;
    m_view->setColumnHidden(column, !shown);
    fitColumns();
    emit stateChanged();
}

void SummaryTable::fillColumnMenu(QMenu *menu)
{
    menu->setToolTipsVisible(true);
    for (int column = 0; column < m_rows->columnCount(); ++column) {
        const ResultColumn &known = table().columns[static_cast<size_t>(column)];
        if (column == 0 && !known.hidden)
            continue; // the first column names the rows and cannot be hidden
        QAction *action = menu->addAction(toQString(known.title));
        action->setToolTip(wrappedHtml(toQString(known.formula), 80));
        action->setCheckable(true);
        action->setChecked(columnShown(column));
        connect(action, &QAction::toggled, this, [this, column](bool shown) { setColumnShown(column, shown); });
    }
}

void SummaryTable::fillOrderMenu(QMenu *menu)
{
    for (int column = 0; column < m_rows->columnCount(); ++column) {
        if (!columnShown(column))
            continue;
        QAction *action = menu->addAction(m_rows->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        connect(action, &QAction::triggered, this,
                [this, column] { sortBy(column, QApplication::keyboardModifiers() & Qt::ShiftModifier); });
    }
}

void SummaryTable::showRowMenu(QPoint at)
{
    QMenu menu;
    const bool any = currentRow().has_value();
    const auto add = [&](const QString &text, const QKeySequence &key, bool enabled, auto slot) {
        QAction *action = menu.addAction(text, this, slot);
        action->setShortcut(key);
        action->setEnabled(enabled);
    };
    add(tr("Show in the timeline"), Qt::Key_Return, any && (m_links.known() || !table().evidence.empty()),
        &SummaryTable::jump);
    add(tr("Next instance"), Qt::Key_BracketRight, any && m_links.known(), [this] { step(1); });
    add(tr("Previous instance"), Qt::Key_BracketLeft, any && m_links.known(), [this] { step(-1); });
    add(tr("Highlight all instances"), {}, any && m_links.known(), &SummaryTable::highlightAll);
    menu.addSeparator();
    if (any)
        m_links.addFilters(&menu, *currentRow());
    menu.addSeparator();
    add(tr("Copy"), QKeySequence::Copy, table().rows() > 0, &SummaryTable::copy);
    fillOrderMenu(menu.addMenu(tr("Sort by")));
    fillColumnMenu(menu.addMenu(tr("Columns")));
    menu.exec(m_view->viewport()->mapToGlobal(at));
}

} // namespace riffle
