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

class TotalsRow;

/// Any ResultTable as people expect of a table: sorted by any columns, filtered, columns chosen, totals, copied and
/// exported, and linked with the timeline both ways. What it is about is up to who fills it.
class SummaryTable : public QWidget {
    Q_OBJECT
public:
    explicit SummaryTable(Session *session, QWidget *parent = nullptr);

    /// Shows a table; what was chosen of the one before stays as far as there is such a row or column.
    void setTable(ResultTable table);
    const ResultTable &table() const { return m_rows->table(); }
    const ResultRowModel &rows() const { return *m_rows; }
    QTreeView *view() const { return m_view; }
    /// Puts a widget into the line of the filter box.
    void addTool(QWidget *tool);
    /// Puts a widget beside the rows, which then shows the sentences of the current row.
    void setSide(QWidget *side);
    void setFilter(const QString &text);
    /// The table's row that the keyboard is on.
    std::optional<uint32_t> currentRow() const;
    void setCurrentRow(uint32_t row);
    /// Goes to the row that holds a slice, without taking the focus.
    void showRowOf(SliceRef slice);

    /// The selected rows, or all when none is selected, as tab-separated text with a heading.
    QString tableText() const;
    /// Order and columns as the user wants them; what was never touched is not in it.
    QJsonObject state() const;
    void restoreState(const QJsonObject &state);

public slots:
    void copy() const;
    void jump();
    void step(int direction);
    void highlightAll();
    void exportAs(const QString &format); ///< "csv", "json"

signals:
    /// Wants what is shown saved by the user's choice of place.
    void exportRequested(const QString &suggestedName, const QString &text);
    void stateChanged();
    void currentRowChanged();

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
    void fitColumns();
    void restoreFolds();
    /// Changes rows or their order; what is unfolded and the current row (of the table, if any) stay.
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
    QLabel *m_absence;
    QTreeView *m_view;
    TotalsRow *m_totals;
    QScrollBar *m_sideways;                              ///< below the totals
    QHash<QString, bool> m_columnsShown;                 ///< by key: what the user said
    std::vector<std::pair<QString, bool>> m_orderWanted; ///< keys, descending
    QHash<quint64, bool> m_unfolded;                     ///< by identity: what the user said
    std::vector<quint64> m_identities; ///< of the rows: hashes of their texts and those of what they stand in
    QStringList m_fitted;              ///< the columns that have their width
    std::vector<int> m_wanted;         ///< logical pixels that each column would like
    bool m_restoring = false;
};

} // namespace riffle
