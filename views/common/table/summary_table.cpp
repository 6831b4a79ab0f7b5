// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/summary_table.h"

#include "model/analysis/table/merged_table.h"
#include "model/analysis/table/row_filter.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/common/table/table_cells.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSet>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kUnfoldedRows = 200; ///< trees up to this size are shown unfolded

/// Identifies rows across tables: a hash per row of its texts and of those of its ancestors. In a table of merged
/// traces, only the key columns count, which come first; the texts after them depend on the column that is compared.
std::vector<quint64> identitiesOf(const ResultTable &table)
{
    std::vector<quint64> identities(table.rows());
    std::vector<quint64> path;
    for (size_t row = 0; row < identities.size(); ++row) {
        path.resize(std::min<size_t>(path.size(), table.depth.empty() ? 0 : table.depth[row]));
        quint64 identity = path.empty() ? 0 : path.back();
        for (const ResultColumn &column : table.columns)
            if (column.key == kTracesColumn)
                break;
            else if (column.kind == CellKind::Text)
                identity = identity * 0x9e3779b97f4a7c15ull + std::hash<std::string>()(column.texts[row]);
        identities[row] = identity;
        path.push_back(identity);
    }
    return identities;
}

QString counted(size_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

} // namespace

void SummaryTable::setFilter(const QString &text) { m_filter->setText(text); }

void SummaryTable::rearrange(std::optional<uint32_t> current, const std::function<void()> &change)
{
    m_restoring = true;
    change();
    restoreFolds();
    const QModelIndex index = current ? m_rows->indexOf(*current) : QModelIndex();
    if (index.isValid())
        m_view->selectionModel()->setCurrentIndex(index,
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_restoring = false;
    m_totals->refresh();
    showHead();
}

void SummaryTable::setTable(ResultTable table)
{
    auto shared = std::make_shared<const ResultTable>(std::move(table));
    const auto before = currentRow();
    const quint64 identity = before ? m_identities[*before] : 0;
    QSet<quint64> selected;
    for (const QModelIndex &index : m_view->selectionModel()->selectedRows())
        selected.insert(m_identities[m_rows->tableRow(index)]);
    m_identities = identitiesOf(*shared);
    const auto same = before ? std::find(m_identities.begin(), m_identities.end(), identity) : m_identities.end();
    const auto current =
        same == m_identities.end() ? std::nullopt : std::optional(static_cast<uint32_t>(same - m_identities.begin()));
    const int scrolled = m_view->verticalScrollBar()->value();
    m_links.setTable(shared);
    rearrange(current, [&] {
        m_rows->setTable(std::move(shared));
        m_rows->setOrder(wantedOrder());
    });
    if (selected.size() > 1)
        for (uint32_t row = 0; row < m_identities.size(); ++row)
            if (const QModelIndex index = m_rows->indexOf(row); index.isValid() && selected.contains(m_identities[row]))
                m_view->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    for (int column = 0; column < m_rows->columnCount(); ++column)
        m_view->setColumnHidden(column, !columnShown(column));
    m_view->setRootIsDecorated(!this->table().depth.empty());
    fitColumns();
    if (!m_filter->text().isEmpty())
        filter();
    m_view->verticalScrollBar()->setValue(scrolled);
    emit currentRowChanged();
}

void SummaryTable::restoreFolds()
{
    if (table().depth.empty())
        return;
    if (!m_filter->text().isEmpty()) {
        m_view->expandAll();
        return;
    }
    const bool all = table().rows() <= kUnfoldedRows;
    const auto visit = [&](const auto &self, const QModelIndex &parent) -> void {
        for (int place = 0; place < m_rows->rowCount(parent); ++place) {
            const QModelIndex index = m_rows->index(place, 0, parent);
            if (m_rows->rowCount(index) == 0)
                continue;
            if (m_unfolded.value(m_identities[m_rows->tableRow(index)], all || !parent.isValid()))
                m_view->expand(index);
            self(self, index);
        }
    };
    visit(visit, {});
}

void SummaryTable::filter()
{
    const auto current = currentRow();
    const std::string preferred = m_rows->order().empty()
                                      ? std::string()
                                      : table().columns[static_cast<size_t>(m_rows->order().front().column)].key;
    auto passing = rowsPassing(table(), toUtf8(m_filter->text()), preferred);
    QPalette colours; // an empty palette follows the theme
    if (!passing)
        colours.setColor(QPalette::Text, QColor(0xd0, 0x40, 0x30));
    m_filter->setPalette(colours);
    m_filter->setToolTip(passing ? QString() : toQString(passing.error().message));
    if (!passing) {
        m_count->setText(m_filter->toolTip());
        return;
    }
    if (m_filter->text().trimmed().isEmpty())
        passing->clear();
    rearrange(current, [&] { m_rows->setPassing(std::move(*passing)); });
    if (currentRow() != current)
        emit currentRowChanged();
}

void SummaryTable::sortBy(int column, bool further)
{
    // The first click sorts numbers from the largest and texts from A, or reverses the order that the table has by
    // itself. The second reverses, the third restores the table's order.
    const auto &own = m_rows->ownOrder();
    const bool first = own && own->column == column && !further
                           ? !own->descending
                           : table().columns[static_cast<size_t>(column)].kind != CellKind::Text;
    std::vector<ResultRowModel::Order> order = m_rows->order();
    const auto known = std::find_if(order.begin(), order.end(), [&](const auto &by) { return by.column == column; });
    const bool alone = order.size() == 1;
    if (known == order.end() || (!further && !alone)) {
        if (!further)
            order.clear();
        order.push_back({column, first});
    } else if (known->descending == first) {
        known->descending = !first;
    } else {
        order.erase(known);
    }
    m_orderWanted.clear();
    for (const ResultRowModel::Order &by : order)
        m_orderWanted.emplace_back(toQString(table().columns[static_cast<size_t>(by.column)].key), by.descending);
    rearrange(currentRow(), [&] { m_rows->setOrder(std::move(order)); });
    emit stateChanged();
}

std::optional<uint32_t> SummaryTable::currentRow() const
{
    const QModelIndex index = m_view->currentIndex();
    return index.isValid() ? std::optional(m_rows->tableRow(index)) : std::nullopt;
}

void SummaryTable::setCurrentRow(uint32_t row)
{
    const QModelIndex index = m_rows->indexOf(row);
    if (!index.isValid())
        return;
    m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_view->scrollTo(index);
}

void SummaryTable::showRowOf(SliceRef slice)
{
    if (const auto row = m_links.rowOf(slice); row && row != currentRow())
        setCurrentRow(*row);
}

void SummaryTable::jump()
{
    if (const auto row = currentRow())
        m_links.jump(*row);
}

void SummaryTable::step(int direction)
{
    if (const auto row = currentRow())
        m_links.step(*row, direction);
}

void SummaryTable::highlightAll()
{
    if (const auto row = currentRow())
        m_links.highlight(*row);
}

void SummaryTable::showHead()
{
    const size_t rows = table().rows();
    const size_t shown = m_rows->passingCount();
    m_count->setText(shown == rows ? rows == 1 ? tr("1 row") : tr("%1 rows").arg(counted(rows))
                                   : tr("%1 of %2 rows").arg(counted(shown), counted(rows)));
    QStringList notes;
    for (const std::string &note : table().notes)
        notes += toQString(note);
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setToolTip(notes.isEmpty() ? QString() : wrappedHtml(notes.join(QLatin1Char('\n')), 100));
    m_notes->setVisible(!notes.isEmpty());
    const EmptyState empty = emptyState();
    m_empty->say(empty);
    m_pages->setCurrentIndex(empty.reason != EmptyReason::None ? 0 : 1);
    m_count->setVisible(rows > 0);
    m_filter->setEnabled(rows > 0);
    m_export->setEnabled(rows > 0);
    const bool linked = currentRow() && m_links.known();
    for (QToolButton *button : {m_previous, m_next, m_all}) {
        button->setVisible(m_links.known());
        button->setEnabled(linked);
    }
}

EmptyState SummaryTable::emptyState() const
{
    if (table().rows() == 0 && table().absence == table().empty.text)
        return table().empty;
    if (table().rows() == 0)
        return {EmptyReason::NoneOccurred, table().absence, EmptyAction::None, {}, 0};
    if (m_rows->passingCount() > 0)
        return {};
    EmptyFacts facts;
    facts.rowFilter = toUtf8(m_filter->text().trimmed());
    facts.rowsUnfiltered = table().rows();
    return riffle::emptyState(facts);
}

void SummaryTable::help(const EmptyState &state)
{
    if (state.action == EmptyAction::ClearRowFilter)
        m_filter->clear();
    m_session->help(state);
    emit helpWanted(state);
}

bool SummaryTable::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_view->viewport() ||
        (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride))
        return QWidget::eventFilter(watched, event);
    const bool pressed = event->type() == QEvent::KeyPress;
    auto *key = static_cast<QKeyEvent *>(event);
    std::function<void()> act;
    if (watched == m_filter) {
        if (key->key() == Qt::Key_Escape && !m_filter->text().isEmpty())
            act = [this] { m_filter->clear(); };
        else if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter ||
                 key->key() == Qt::Key_Escape)
            act = [this] { m_view->setFocus(); };
    } else if (key->matches(QKeySequence::Copy)) {
        act = [this] { copy(); };
    } else if (!(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier))) {
        switch (key->key()) {
        case Qt::Key_BracketLeft: act = [this] { step(-1); }; break;
        case Qt::Key_BracketRight: act = [this] { step(1); }; break;
        case Qt::Key_Slash: act = [this] { m_filter->setFocus(Qt::ShortcutFocusReason); }; break;
        case Qt::Key_Escape:
            if (!m_filter->text().isEmpty())
                act = [this] { m_filter->clear(); };
            break;
        default: break;
        }
    }
    if (!act)
        return QWidget::eventFilter(watched, event);
    if (pressed)
        act();
    event->accept();
    return true;
}

} // namespace riffle
