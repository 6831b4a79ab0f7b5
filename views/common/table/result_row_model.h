// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <QAbstractItemModel>

#include <optional>
#include <vector>

namespace riffle {

/// The rows of a table that pass a filter, in the requested order, flat or as a tree. Cells become text only when they
/// are painted, so that the cost depends on the visible rows.
class ResultRowModel : public QAbstractItemModel {
    Q_OBJECT
public:
    static constexpr int kBarRole = Qt::UserRole; ///< for columns with bars: the cell's share of the largest, 0 to 1

    struct Order {
        int column = 0;
        bool descending = false;
        bool operator==(const Order &) const = default;
    };

    using QAbstractItemModel::QAbstractItemModel;

    void setTable(std::shared_ptr<const ResultTable> table);
    const ResultTable &table() const { return *m_table; }
    const std::shared_ptr<const ResultTable> &shared() const { return m_table; } ///< for workers
    /// Sorts by the first entry, then by the second, and so on; if empty, the table's own order.
    void setOrder(std::vector<Order> order);
    const std::vector<Order> &order() const { return m_order; }
    /// The column by which the table's own order sorts, if it is visible from the values; empty otherwise.
    const std::optional<Order> &ownOrder() const { return m_ownOrder; }
    /// Sets for each row of the table whether it passes; if empty, all pass. A row that does not pass is still shown as
    /// an ancestor of one that does.
    void setPassing(std::vector<uint8_t> passing);

    /// The table's row of an index.
    uint32_t tableRow(const QModelIndex &index) const { return m_nodes[index.internalId()].row; }
    QModelIndex indexOf(uint32_t tableRow) const;      ///< invalid if it is not shown
    QString text(uint32_t tableRow, int column) const; ///< as shown, on one line
    /// The table's rows in display order, children after their parents, including those that are folded away.
    std::vector<uint32_t> shownRows() const;
    size_t passingCount() const { return m_passingCount; } ///< not counting rows that are only shown as ancestors
    /// The sum of a column over the rows that pass; none if a sum makes no sense.
    std::optional<QString> total(int column) const;
    bool allAbsent(int column) const { return m_allAbsent[static_cast<size_t>(column)]; } ///< in the whole table

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Node {
        uint32_t row = 0;    ///< in the table
        int32_t parent = -1; ///< index of a node
        int32_t place = 0;   ///< among its siblings
        int32_t children = 0;
        int32_t firstChild = 0; ///< in m_children
    };
    void findOwnOrder();
    void sortRows();
    void rebuild();
    void linkTree();
    void sumUp();
    QString title(int column) const;
    QString hoverText(const QModelIndex &index) const;

    std::shared_ptr<const ResultTable> m_table = std::make_shared<const ResultTable>();
    std::vector<Order> m_order;
    std::optional<Order> m_ownOrder;
    std::vector<uint8_t> m_passing;
    std::vector<uint32_t> m_sorted;  ///< all rows of the table, sorted
    std::vector<Node> m_nodes;       ///< in display order
    std::vector<int32_t> m_children; ///< for trees: nodes grouped by parent, the top ones first
    int32_t m_tops = 0;
    std::vector<bool> m_allAbsent;                ///< per column
    std::vector<double> m_largest;                ///< per column
    std::vector<std::optional<QString>> m_totals; ///< per column
    size_t m_passingCount = 0;
};

} // namespace riffle
