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

/// The nodes of a tree as rows that sort by their numbers; where it is compared, what the other tree has and the
/// difference are columns. Cells become text when they are painted.
class LogTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Total, Own, Other, Difference };
    using SizeText = std::function<QString(int64_t)>;

    explicit LogTreeModel(QObject *parent = nullptr);

    /// True where it has the nodes that were there before: rows, and what is known of them, stay.
    bool setAnswer(std::shared_ptr<const LogAnswer> answer, SizeText sizeText);
    QModelIndex indexOf(uint32_t node) const; ///< invalid: none
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
    /// Column -1: as in the file.
    void sort(int column, Qt::SortOrder order) override;

private:
    uint32_t count() const { return m_answer->tree.size(); }
    uint32_t twin(uint32_t node) const;
    int64_t value(uint32_t node, int column) const;
    QString text(uint32_t node, int column) const;
    std::span<const uint32_t> childrenOf(uint32_t node) const; ///< kNone: the tops
    void link();
    void arrange();

    std::shared_ptr<const LogAnswer> m_answer;
    SizeText m_sizeText;
    int m_sorted = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    std::vector<uint32_t> m_parents;    ///< by node
    std::vector<uint32_t> m_children;   ///< node by node, the tops last
    std::vector<uint32_t> m_firstChild; ///< in m_children, by node, then of the tops, then the end
    std::vector<uint32_t> m_rows;       ///< by node: among its siblings
};

} // namespace riffle
