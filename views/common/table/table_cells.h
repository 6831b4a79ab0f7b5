// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStyledItemDelegate>
#include <QWidget>

class QHeaderView;

namespace riffle {

class ResultRowModel;

/// Paints the cells of a ResultRowModel: behind the number a bar that says how large it is.
class BarDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// The row of totals that stays below a table, under the table's columns.
class TotalsRow : public QWidget {
    Q_OBJECT
public:
    TotalsRow(const ResultRowModel *rows, QHeaderView *header, QWidget *parent);
    /// Takes over what the rows say now.
    void refresh();
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const ResultRowModel *m_rows;
    QHeaderView *m_header;
};

} // namespace riffle
