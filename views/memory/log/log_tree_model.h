// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/memory/log/log_answer.h"

#include <QAbstractItemModel>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// The nodes of a tree as rows that can be sorted by their values. If the tree is compared with another one, that one's
/// values and the differences are additional columns. Cells become text when they are painted.
class LogTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Total, Own, Other, Difference };
    using SizeText = std::function<QString(int64_t)>;

    explicit LogTreeModel(QObject *parent = nullptr);

    /// True if the nodes are the same as before; then the rows and their state stay.
    bool setAnswer(std::shared_ptr<const LogAnswer> answer, SizeText sizeText);
    QModelIndex indexOf(uint32_t node) const; ///< invalid for kNone
    uint32_t nodeOf(const QModelIndex &index) const
    {
        return index.isValid() ? static_cast<uint32_t>(index.internalId()) : LogTree::kNone;
    }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Column -1 restores the order of the file.
    void sort(int column, Qt::SortOrder order) override;

private:
    uint32_t count() const { return m_answer->tree.size(); }
    uint32_t twin(uint32_t node) const;
    int64_t value(uint32_t node, int column) const;
    QString text(uint32_t node, int column) const;
    std::span<const uint32_t> childrenOf(uint32_t node) const; ///< kNone: the top-level nodes
    void link();
    void arrange();

    std::shared_ptr<const LogAnswer> m_answer;
    SizeText m_sizeText;
    int m_sorted = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    std::vector<uint32_t> m_parents;    ///< per node
    std::vector<uint32_t> m_children;   ///< the children of each node in turn, the top-level nodes last
    std::vector<uint32_t> m_firstChild; ///< start in m_children: per node, then of the top-level nodes, then the end
    std::vector<uint32_t> m_rows;       ///< per node: its place among its siblings
};

} // namespace riffle
