// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/table_picture.h"

#include "views/common/table/summary_table.h"
#include "views/common/table/table_cells.h"

#include <QHeaderView>
#include <QPainter>
#include <QTreeView>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kWidest = 3000; ///< logical pixels

int rowsBelow(const QTreeView &view, const QModelIndex &parent)
{
    const int children = view.model()->rowCount(parent);
    int rows = children;
    for (int row = 0; row < children; ++row)
        if (const QModelIndex child = view.model()->index(row, 0, parent); view.isExpanded(child))
            rows += rowsBelow(view, child);
    return rows;
}

void copyFolds(const QTreeView &from, QTreeView &to, const QModelIndex &parent, int &left)
{
    const int children = from.model()->rowCount(parent);
    for (int row = 0; row < children && left > 0; ++row, --left)
        if (const QModelIndex child = from.model()->index(row, 0, parent); from.isExpanded(child)) {
            to.setExpanded(child, true);
            copyFolds(from, to, child, left);
        }
}

} // namespace

TablePicture pictureOf(const SummaryTable &table, int rows, qreal ratio)
{
    const QTreeView &shown = *table.view();
    TablePicture picture;
    picture.all = rowsBelow(shown, {});
    picture.rows = std::min(rows, picture.all);
    if (picture.rows == 0)
        return picture;
    QWidget holder; // never shown
    QTreeView view(&holder);
    view.setPalette(shown.palette());
    view.setFont(shown.font());
    view.setModel(shown.model());
    view.setItemDelegate(new BarDelegate(&view));
    view.setRootIsDecorated(shown.rootIsDecorated());
    view.setIndentation(shown.indentation());
    view.setUniformRowHeights(true);
    view.setAlternatingRowColors(true);
    view.setTextElideMode(Qt::ElideMiddle);
    view.setFrameShape(QFrame::NoFrame);
    view.setFocusPolicy(Qt::NoFocus);
    view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView *header = view.header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(shown.header()->minimumSectionSize());
    int width = 0;
    for (int column = 0; column < header->count(); ++column) {
        view.setColumnHidden(column, shown.isColumnHidden(column));
        header->resizeSection(column, shown.header()->sectionSize(column));
        width += view.isColumnHidden(column) ? 0 : header->sectionSize(column);
    }
    int left = picture.rows;
    copyFolds(shown, view, {}, left);
    width = std::min(width, kWidest);
    view.resize(width, 200);
    view.ensurePolished();
    const int rowHeight = view.visualRect(view.model()->index(0, 0)).height();
    const int headHeight = header->sizeHint().height();
    view.resize(width, headHeight + picture.rows * rowHeight);
    TotalsRow totals(&table.rows(), header, &holder);
    totals.setPalette(shown.palette());
    totals.setFont(shown.font());
    totals.refresh();
    const bool hasTotals = !totals.isHidden();
    totals.resize(width, hasTotals ? totals.sizeHint().height() : 0);
    const QSize size(width, view.height() + totals.height());
    picture.image = QImage(size * ratio, QImage::Format_RGB32);
    picture.image.setDevicePixelRatio(ratio);
    picture.image.fill(shown.palette().color(QPalette::Base));
    QPainter painter(&picture.image);
    view.render(&painter, {});
    if (hasTotals)
        totals.render(&painter, QPoint(0, view.height()));
    return picture;
}

} // namespace riffle
