// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/result_row_model.h"

#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace riffle {

namespace {

constexpr qsizetype kLongestCell = 320;    ///< cells are cut to this many characters, which few columns have room for
constexpr qsizetype kLongestText = 65'536; ///< characters beyond these are ignored, even the end of a cut text

/// Replaces the middle of a long text with an ellipsis.
QString cut(const QString &text)
{
    if (text.size() <= kLongestCell)
        return text;
    return text.left(kLongestCell * 5 / 8) + QChar(0x2026) + text.right(kLongestCell * 3 / 8);
}

bool isText(const ResultColumn &column) { return column.kind == CellKind::Text; }

/// The parent row of each row; -1 at the top.
std::vector<int32_t> parentsOf(const std::vector<uint32_t> &depth)
{
    std::vector<int32_t> parents(depth.size(), -1);
    std::vector<int32_t> path;
    for (size_t row = 0; row < depth.size(); ++row) {
        path.resize(std::min<size_t>(path.size(), depth[row]));
        parents[row] = path.empty() ? -1 : path.back();
        path.push_back(static_cast<int32_t>(row));
    }
    return parents;
}

QString numbered(size_t place)
{
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    return place < 10 ? QString(digits[static_cast<qsizetype>(place)]) : QString();
}

} // namespace

void ResultRowModel::setTable(std::shared_ptr<const ResultTable> table)
{
    assert(table && table->isRectangular());
    beginResetModel();
    m_table = std::move(table);
    m_allAbsent.clear();
    for (const ResultColumn &column : m_table->columns) {
        size_t row = 0;
        while (row < m_table->rows() && column.absent(row))
            ++row;
        m_allAbsent.push_back(row > 0 && row == m_table->rows());
    }
    m_passing.clear();
    std::erase_if(m_order, [this](const Order &by) { return by.column >= columnCount(); });
    findOwnOrder();
    sortRows();
    rebuild();
    endResetModel();
}

void ResultRowModel::setOrder(std::vector<Order> order)
{
    assert(std::ranges::all_of(order, [this](const Order &by) { return by.column >= 0 && by.column < columnCount(); }));
    beginResetModel();
    m_order = std::move(order);
    sortRows();
    rebuild();
    endResetModel();
}

void ResultRowModel::setPassing(std::vector<uint8_t> passing)
{
    assert(passing.empty() || passing.size() == m_table->rows());
    beginResetModel();
    m_passing = std::move(passing);
    rebuild();
    endResetModel();
}

/// Analyses put the largest values, the earliest moments or the lowest numbers first. Columns whose texts have an order
/// of their own are considered first, other texts last, because a few of them are easily in order by chance.
void ResultRowModel::findOwnOrder()
{
    enum Group { Words, Numbers, Texts };
    m_ownOrder.reset();
    for (const Group group : {Words, Numbers, Texts})
        for (int at = 0; at < columnCount() && !m_ownOrder; ++at) {
            const ResultColumn &column = m_table->columns[static_cast<size_t>(at)];
            const Group own = !isText(column) ? Numbers : column.words.empty() ? Texts : Words;
            const bool descending = group == Numbers && column.kind != CellKind::Moment && !column.isId;
            if (!column.hidden && own == group && isSortedBy(*m_table, column, descending))
                m_ownOrder = Order{at, descending};
        }
}

void ResultRowModel::sortRows()
{
    std::vector<SortKey> keys;
    for (const Order &by : m_order)
        keys.push_back({&m_table->columns[static_cast<size_t>(by.column)], by.descending});
    m_sorted.resize(m_table->rows());
    std::iota(m_sorted.begin(), m_sorted.end(), 0u);
    if (!keys.empty())
        m_sorted = sortedRows(*m_table, keys);
}

void ResultRowModel::rebuild()
{
    std::vector<uint32_t> rows = m_sorted;
    if (!m_passing.empty()) {
        std::vector<uint8_t> shown = m_passing;
        const std::vector<int32_t> parents = parentsOf(m_table->depth);
        for (size_t row = parents.size(); row-- > 0;)
            if (shown[row] && parents[row] >= 0)
                shown[static_cast<size_t>(parents[row])] = 1;
        std::erase_if(rows, [&](uint32_t row) { return !shown[row]; });
    }
    m_nodes.resize(rows.size());
    for (size_t at = 0; at < rows.size(); ++at)
        m_nodes[at] = {rows[at], -1, static_cast<int32_t>(at), 0, 0};
    m_tops = static_cast<int32_t>(rows.size());
    m_children.clear();
    if (!m_table->depth.empty())
        linkTree();
    sumUp();
}

void ResultRowModel::linkTree()
{
    std::vector<int32_t> path;
    m_tops = 0;
    for (size_t at = 0; at < m_nodes.size(); ++at) {
        Node &node = m_nodes[at];
        path.resize(std::min<size_t>(path.size(), m_table->depth[node.row]));
        node.parent = path.empty() ? -1 : path.back();
        int32_t &siblings = node.parent < 0 ? m_tops : m_nodes[static_cast<size_t>(node.parent)].children;
        node.place = siblings++;
        path.push_back(static_cast<int32_t>(at));
    }
    int32_t used = m_tops;
    for (Node &node : m_nodes) {
        node.firstChild = used;
        used += node.children;
    }
    m_children.resize(m_nodes.size());
    for (size_t at = 0; at < m_nodes.size(); ++at) {
        const Node &node = m_nodes[at];
        const int32_t first = node.parent < 0 ? 0 : m_nodes[static_cast<size_t>(node.parent)].firstChild;
        m_children[static_cast<size_t>(first + node.place)] = static_cast<int32_t>(at);
    }
}

void ResultRowModel::sumUp()
{
    // A passing row already includes the rows inside it, so sums use only the outermost passing rows.
    std::vector<uint32_t> passing, outermost;
    std::vector<uint8_t> inside(m_nodes.size(), 0);
    for (size_t at = 0; at < m_nodes.size(); ++at) {
        const Node &node = m_nodes[at];
        const bool passes = m_passing.empty() || m_passing[node.row];
        const bool within = node.parent >= 0 && inside[static_cast<size_t>(node.parent)];
        inside[at] = within || passes;
        if (passes)
            passing.push_back(node.row);
        if (passes && !within)
            outermost.push_back(node.row);
    }
    m_passingCount = passing.size();
    m_largest.assign(m_table->columns.size(), 0);
    m_totals.assign(m_table->columns.size(), std::nullopt);
    for (size_t at = 0; at < m_table->columns.size(); ++at) {
        const ResultColumn &column = m_table->columns[at];
        if (column.barred)
            for (const uint32_t row : passing)
                if (!column.absent(row))
                    m_largest[at] = std::max(m_largest[at], column.number(row));
        if (!column.summed || isText(column))
            continue;
        ResultColumn sum;
        sum.kind = column.kind;
        sum.integers = {0};
        sum.numbers = {0};
        for (const uint32_t row : outermost)
            if (column.absent(row))
                continue;
            else if (column.isInteger())
                sum.integers[0] = saturatedSum(sum.integers[0], column.integers[row]);
            else
                sum.numbers[0] += column.numbers[row];
        m_totals[at] = toQString(cellText(sum, 0));
    }
}

std::optional<QString> ResultRowModel::total(int column) const { return m_totals[static_cast<size_t>(column)]; }

QModelIndex ResultRowModel::indexOf(uint32_t row) const
{
    for (size_t at = 0; at < m_nodes.size(); ++at)
        if (m_nodes[at].row == row)
            return createIndex(m_nodes[at].place, 0, at);
    return {};
}

std::vector<uint32_t> ResultRowModel::shownRows() const
{
    std::vector<uint32_t> rows;
    rows.reserve(m_nodes.size());
    for (const Node &node : m_nodes)
        rows.push_back(node.row);
    return rows;
}

int ResultRowModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return m_tops;
    return parent.column() > 0 ? 0 : m_nodes[parent.internalId()].children;
}

int ResultRowModel::columnCount(const QModelIndex &) const { return static_cast<int>(m_table->columns.size()); }

QModelIndex ResultRowModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || row >= rowCount(parent) || column >= columnCount())
        return {};
    if (m_children.empty())
        return createIndex(row, column, static_cast<quintptr>(row));
    assert(!parent.isValid() || parent.internalId() < m_nodes.size());
    const int32_t first = parent.isValid() ? m_nodes[parent.internalId()].firstChild : 0;
    return createIndex(row, column, static_cast<quintptr>(m_children[static_cast<size_t>(first + row)]));
}

QModelIndex ResultRowModel::parent(const QModelIndex &index) const
{
    const int32_t parent = index.isValid() ? m_nodes[index.internalId()].parent : -1;
    return parent < 0 ? QModelIndex()
                      : createIndex(m_nodes[static_cast<size_t>(parent)].place, 0, static_cast<quintptr>(parent));
}

QString ResultRowModel::text(uint32_t row, int at) const
{
    const ResultColumn &column = m_table->columns[static_cast<size_t>(at)];
    return cut(singleLine(toQString(column.shorts.empty() || column.absent(row) ? cellText(column, row, m_table->origin)
                                                                                : column.shorts[row]),
                          kLongestText));
}

QVariant ResultRowModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const ResultColumn &column = m_table->columns[static_cast<size_t>(index.column())];
    const uint32_t row = tableRow(index);
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::ToolTipRole: return hoverText(index);
    case Qt::TextAlignmentRole: return int((isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case kBarRole: {
        const double largest = m_largest[static_cast<size_t>(index.column())];
        if (!column.barred || !(largest > 0) || column.absent(row))
            return {};
        return std::clamp(column.number(row) / largest, 0.0, 1.0);
    }
    default: return {};
    }
}

QString ResultRowModel::hoverText(const QModelIndex &index) const
{
    const ResultColumn &column = m_table->columns[static_cast<size_t>(index.column())];
    const uint32_t row = tableRow(index);
    if (column.absent(row))
        return column.unnamed.empty() ? tr("No value") : toQString(column.unnamed);
    if (column.kind == CellKind::Time || column.kind == CellKind::Moment)
        return toQString(
            formatDurationExact(column.integers[row] - (column.kind == CellKind::Moment ? m_table->origin : 0)));
    return isText(column) ? wrappedHtml(toQString(column.texts[row])) : QString();
}

QString ResultRowModel::title(int column) const
{
    QString text = toQString(m_table->columns[static_cast<size_t>(column)].title);
    if (m_order.empty() && m_ownOrder && m_ownOrder->column == column)
        text += QChar(0x00a0) + (m_ownOrder->descending ? QStringLiteral("↓") : QStringLiteral("↑"));
    for (size_t at = 0; at < m_order.size(); ++at)
        if (m_order[at].column == column)
            text += QChar(0x00a0) + (m_order[at].descending ? QStringLiteral("↓") : QStringLiteral("↑")) +
                    (m_order.size() > 1 ? numbered(at + 1) : QString());
    return text;
}

QVariant ResultRowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ResultColumn &column = m_table->columns[static_cast<size_t>(section)];
    switch (role) {
    case Qt::DisplayRole: return title(section);
    case Qt::ToolTipRole:
        return column.formula.empty() ? QVariant()
                                      : QVariant(wrappedHtml(toQString(column.title + ": " + column.formula), 80));
    case Qt::TextAlignmentRole: return int((isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

} // namespace riffle
