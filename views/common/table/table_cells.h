// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStyledItemDelegate>
#include <QWidget>

class QHeaderView;

namespace riffle {

class ResultRowModel;

/// Paints the cells of a ResultRowModel: the bar below a number shows how large it is. Names that were shortened
/// already are shortened further at the same place.
class BarDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    /// Leaves room for the bar.
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;
};

/// The row of totals below a table, aligned with its columns.
class TotalsRow : public QWidget {
    Q_OBJECT
public:
    TotalsRow(const ResultRowModel *rows, QHeaderView *header, QWidget *parent);
    /// Updates the totals from the rows.
    void refresh();
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const ResultRowModel *m_rows;
    QHeaderView *m_header;
};

} // namespace riffle
