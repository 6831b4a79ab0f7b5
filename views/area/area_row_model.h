// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/area_summary.h"

#include <QAbstractTableModel>

namespace riffle {

/// The rows of an area summary, sorted by any column.
class AreaRowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Count, Sum, Average, Minimum, Maximum, Self, Share, Category, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setSummary(AreaSummary summary);
    const AreaSummary &summary() const { return m_summary; }
    const AreaSummary::Row &row(int shown) const { return m_summary.rows[m_order[static_cast<size_t>(shown)]]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

    /// All rows in the order shown; times as whole nanoseconds.
    QString csv() const;

private:
    void reorder();

    AreaSummary m_summary;
    std::vector<uint32_t> m_order;
    int m_column = Sum;
    Qt::SortOrder m_direction = Qt::DescendingOrder;
};

} // namespace riffle
