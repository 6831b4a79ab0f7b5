// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log/log_tree_model.h"

#include "model/base/ids.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {
}

LogTreeModel::LogTreeModel(QObject *parent) : QAbstractItemModel(parent), m_answer(std::make_shared<const LogAnswer>())
{
    link();
}

bool LogTreeModel::setAnswer(std::shared_ptr<const LogAnswer> answer, SizeText sizeText)
{
    m_sizeText = std::move(sizeText);
    if (sameNodesStand(answer->tree, m_answer->tree) && answer->compares() == m_answer->compares()) {
        m_answer = std::move(answer);
        if (m_answer->compares())
            emit headerDataChanged(Qt::Horizontal, Other, Other);
        if (count() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        if (m_sorted > 0)
            sort(m_sorted, m_order);
        return true;
    }
    beginResetModel();
    m_answer = std::move(answer);
    m_sorted = m_sorted < columnCount() ? m_sorted : -1;
    link();
    arrange();
    endResetModel();
    return false;
}

void LogTreeModel::link()
{
    const std::vector<uint32_t> &depth = m_answer->tree.depth;
    const uint32_t nodes = count();
    assert(depth.size() == nodes);
    m_parents.assign(nodes, kNoRow);
    std::vector<uint32_t> path;
    m_firstChild.assign(nodes + 2, 0);
    const auto placeOf = [nodes](uint32_t parent) { return parent == kNoRow ? nodes : parent; };
    for (uint32_t node = 0; node < nodes; ++node) {
        path.resize(std::min<size_t>(path.size(), depth[node]));
        m_parents[node] = path.empty() ? kNoRow : path.back();
        ++m_firstChild[placeOf(m_parents[node]) + 1];
        path.push_back(node);
    }
    for (size_t at = 1; at < m_firstChild.size(); ++at)
        m_firstChild[at] += m_firstChild[at - 1];
    m_children.resize(nodes);
    m_rows.resize(nodes);
    std::vector<uint32_t> next(m_firstChild.begin(), m_firstChild.end() - 1);
    for (uint32_t node = 0; node < nodes; ++node)
        m_children[next[placeOf(m_parents[node])]++] = node;
    for (uint32_t parent = 0; parent <= nodes; ++parent)
        for (uint32_t at = m_firstChild[parent]; at < m_firstChild[parent + 1]; ++at)
            m_rows[m_children[at]] = at - m_firstChild[parent];
}

void LogTreeModel::arrange()
{
    const auto before = [this](uint32_t a, uint32_t b) {
        if (m_sorted < 0)
            return a < b;
        if (m_order == Qt::DescendingOrder)
            std::swap(a, b);
        return m_sorted == Name ? m_answer->tree.names[a] < m_answer->tree.names[b]
                                : value(a, m_sorted) < value(b, m_sorted);
    };
    for (uint32_t parent = 0; parent <= count(); ++parent) {
        const auto first = m_children.begin() + m_firstChild[parent],
                   last = m_children.begin() + m_firstChild[parent + 1];
        std::sort(first, last); // equal nodes keep the order of the file
        std::stable_sort(first, last, before);
        for (auto at = first; at != last; ++at)
            m_rows[*at] = static_cast<uint32_t>(at - first);
    }
}

void LogTreeModel::sort(int column, Qt::SortOrder order)
{
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    m_sorted = column < columnCount() ? column : -1;
    m_order = order;
    const QModelIndexList old = persistentIndexList();
    arrange();
    QModelIndexList now;
    for (const QModelIndex &index : old)
        now.append(createIndex(static_cast<int>(m_rows[nodeOf(index)]), index.column(), index.internalId()));
    changePersistentIndexList(old, now);
    emit layoutChanged({}, VerticalSortHint);
}

uint32_t LogTreeModel::twin(uint32_t node) const
{
    return node < m_answer->same.size() ? m_answer->same[node] : kNoRow;
}

int64_t LogTreeModel::value(uint32_t node, int column) const
{
    const int64_t there = twin(node) == kNoRow ? 0 : m_answer->other.values[twin(node)];
    switch (column) {
    case Total: return m_answer->tree.values[node];
    case Own: return m_answer->tree.own[node];
    case Other: return there;
    default: return m_answer->tree.values[node] - there;
    }
}

QString LogTreeModel::text(uint32_t node, int column) const
{
    if (column == Name)
        return singleLine(toQString(m_answer->tree.names[node]), 400);
    if (column == Other && twin(node) == kNoRow)
        return QStringLiteral("–");
    const int64_t size = value(node, column);
    if (column != Difference)
        return m_sizeText(size);
    return size < 0 ? QStringLiteral("−") + m_sizeText(-size)
                    : (size > 0 ? QStringLiteral("+") : QString()) + m_sizeText(size);
}

std::span<const uint32_t> LogTreeModel::childrenOf(uint32_t node) const
{
    assert(node == kNoRow || node < count());
    const uint32_t parent = node == kNoRow ? count() : node;
    return std::span(m_children).subspan(m_firstChild[parent], m_firstChild[parent + 1] - m_firstChild[parent]);
}

QModelIndex LogTreeModel::indexOf(uint32_t node) const
{
    return node < count() ? createIndex(static_cast<int>(m_rows[node]), 0, node) : QModelIndex();
}

int LogTreeModel::rowCount(const QModelIndex &parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(nodeOf(parent)).size());
}

int LogTreeModel::columnCount(const QModelIndex &) const { return m_answer->compares() ? Difference + 1 : Own + 1; }

QModelIndex LogTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    return hasIndex(row, column, parent)
               ? createIndex(row, column, childrenOf(nodeOf(parent))[static_cast<size_t>(row)])
               : QModelIndex();
}

QModelIndex LogTreeModel::parent(const QModelIndex &index) const
{
    return index.isValid() ? indexOf(m_parents[nodeOf(index)]) : QModelIndex();
}

QVariant LogTreeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const uint32_t node = nodeOf(index);
    assert(node < count() && index.column() < columnCount());
    switch (role) {
    case Qt::DisplayRole: return text(node, index.column());
    case Qt::ToolTipRole:
        return index.column() == Name ? wrappedHtml(toQString(m_answer->tree.paths[node])) : QVariant();
    case Qt::TextAlignmentRole:
        return int((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant LogTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section > Difference)
        return {};
    if (role == Qt::TextAlignmentRole) // the start of a long title matters most
        return int((section == Name || section == Other ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QString titles[] = {tr("Name"), tr("Total"), tr("Self"), m_answer->otherTitle, tr("Difference")};
    return role == Qt::DisplayRole || role == Qt::ToolTipRole ? QVariant(titles[section]) : QVariant();
}

} // namespace riffle
