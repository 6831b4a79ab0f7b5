// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_row_model.h"
#include "views/common/table/row_links.h"

#include <QHash>
#include <QJsonObject>
#include <QWidget>

#include <functional>
#include <optional>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QScrollBar;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace riffle {

class EmptyNotice;
class TotalsRow;

/// Shows any ResultTable, with sorting by any columns, a filter, a choice of columns, totals, copy, export, and links
/// to the timeline in both directions. The owner decides which table is shown.
class SummaryTable : public QWidget {
    Q_OBJECT
public:
    explicit SummaryTable(Session *session, QWidget *parent = nullptr);

    /// Shows a table. Choices made in the previous table stay as long as their row or column still exists.
    void setTable(ResultTable table);
    const ResultTable &table() const { return m_rows->table(); }
    const ResultRowModel &rows() const { return *m_rows; }
    QTreeView *view() const { return m_view; }
    /// Adds a widget to the line of the filter box.
    void addTool(QWidget *tool);
    /// Adds a widget at the start of that line.
    void addBadge(QWidget *badge);
    /// Adds a widget beside the rows, which then shows details of the current row.
    void setSide(QWidget *side);
    /// The width in which no column has to give up anything.
    int columnsWidth() const;
    void setFilter(const QString &text);
    /// The key of the column by which the user sorts first; empty if the rows have their own order.
    QString sortedBy() const { return m_orderWanted.empty() ? QString() : m_orderWanted.front().first; }
    /// The table's row that has the keyboard focus.
    std::optional<uint32_t> currentRow() const;
    void setCurrentRow(uint32_t row);
    /// Goes to the row that contains a slice, without taking the focus.
    void showRowOf(SliceRef slice);

    /// The table's rows that are selected, or all that are shown if none is selected, in display order.
    std::vector<uint32_t> chosenRows() const;
    /// The indexes of the columns that are shown.
    std::vector<size_t> shownColumns() const;
    /// The selected rows, or all if none is selected, as tab-separated text with a heading.
    QString tableText() const;
    /// The order and the columns that the user chose, without columns that the user never changed.
    QJsonObject state() const;
    void restoreState(const QJsonObject &state);

public slots:
    void copy() const;
    void jump();
    void step(int direction);
    void highlightAll();
    void exportAs(const QString &format); ///< "csv", "json"

signals:
    /// The user wants to save what is shown.
    void exportRequested(const QString &suggestedName, const QString &text);
    void stateChanged();
    void currentRowChanged();
    void columnsFitted(); ///< there are other columns, so columnsWidth() has changed
    /// The user wants help for the empty table that only its owner can give.
    void helpWanted(const riffle::EmptyState &state);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeTools();
    void makeView();
    void filter();
    void sortBy(int column, bool further);
    void setColumnShown(int column, bool shown);
    bool columnShown(int column) const;
    bool hasSide() const;
    void fillColumnMenu(QMenu *menu);
    void fillOrderMenu(QMenu *menu);
    void showRowMenu(QPoint at);
    void showHead();
    EmptyState emptyState() const;
    void help(const EmptyState &state);
    void fitColumns();
    void restoreFolds();
    /// Calls `change`, which changes the rows or their order, and restores the folds and the current row. `current` is
    /// the table's row, if any.
    void rearrange(std::optional<uint32_t> current, const std::function<void()> &change);
    std::vector<ResultRowModel::Order> wantedOrder() const;

    Session *m_session;
    RowLinks m_links;
    ResultRowModel *m_rows;
    QLabel *m_notes;
    QLineEdit *m_filter;
    QLabel *m_count;
    QHBoxLayout *m_tools;
    QToolButton *m_previous;
    QToolButton *m_next;
    QToolButton *m_all;
    QToolButton *m_export;
    QSplitter *m_parts;
    QStackedWidget *m_pages;
    EmptyNotice *m_empty;
    QTreeView *m_view;
    TotalsRow *m_totals;
    QScrollBar *m_sideways;                              ///< the horizontal scroll bar, below the totals
    QHash<QString, bool> m_columnsShown;                 ///< by key: the user's choice
    std::vector<std::pair<QString, bool>> m_orderWanted; ///< column keys, and whether descending
    QHash<quint64, bool> m_unfolded;                     ///< by identity: the user's choice
    std::vector<quint64> m_identities; ///< of the rows: hashes of their texts and of those of their ancestors
    QStringList m_fitted;              ///< the keys of the columns whose widths are fitted
    size_t m_fittedRows = 0;           ///< the number of rows of the table to which they were fitted
    std::vector<int> m_wanted;         ///< the preferred width of each column in logical pixels
    bool m_restoring = false;
};

} // namespace riffle
