// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/item_rows.h"

#include "views/common/look/qt_text.h"

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle {

namespace {

const QHeaderView *headerOf(const QAbstractItemView &view)
{
    if (const auto *tree = qobject_cast<const QTreeView *>(&view))
        return tree->header();
    const auto *table = qobject_cast<const QTableView *>(&view);
    return table ? table->horizontalHeader() : nullptr;
}

uint32_t depthOf(QModelIndex index)
{
    uint32_t depth = 0;
    while ((index = index.parent()).isValid())
        ++depth;
    return depth;
}

/// Calls `take` with the first cell of each row that is unfolded.
template <typename Take>
void eachRow(const QAbstractItemView &view, const Take &take)
{
    const QAbstractItemModel &model = *view.model();
    if (const auto *tree = qobject_cast<const QTreeView *>(&view)) {
        for (QModelIndex index = model.index(0, 0); index.isValid(); index = tree->indexBelow(index))
            take(index);
        return;
    }
    for (int row = 0; row < model.rowCount(); ++row)
        take(model.index(row, 0));
}

} // namespace

ItemRows itemRows(const QAbstractItemView &view, size_t most)
{
    ItemRows rows;
    const QHeaderView *header = headerOf(view);
    if (!view.model() || !header)
        return rows;
    std::vector<int> columns;
    for (int at = 0; at < header->count(); ++at)
        if (const int column = header->logicalIndex(at); !header->isSectionHidden(column)) {
            columns.push_back(column);
            rows.table.add("", toUtf8(view.model()->headerData(column, Qt::Horizontal).toString()), CellKind::Text);
        }
    const bool onlySelected = view.selectionModel()->selectedRows().size() > 1;
    eachRow(view, [&](const QModelIndex &index) {
        if (onlySelected && !view.selectionModel()->isRowSelected(index.row(), index.parent()))
            return;
        if (rows.table.rows() == most) {
            ++rows.left;
            return;
        }
        for (size_t at = 0; at < columns.size(); ++at)
            rows.table.columns[at].texts.push_back(toUtf8(index.siblingAtColumn(columns[at]).data().toString()));
        rows.table.depth.push_back(depthOf(index));
    });
    return rows;
}

} // namespace riffle
