// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/area/area_row_model.h"

#include "model/base/format.h"
#include "views/common/qt_text.h"

#include <QTextStream>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace riffle {

namespace {

QString csvField(const std::string &text)
{
    QString field = toQString(text);
    if (field.contains(QLatin1Char(',')) || field.contains(QLatin1Char('"')) || field.contains(QLatin1Char('\n'))
        || field.contains(QLatin1Char('\r'))) {
        field.replace(QLatin1Char('"'), QStringLiteral("\"\""));
        field = QLatin1Char('"') + field + QLatin1Char('"');
    }
    return field;
}

/// Less-than by one column; for names by text.
bool before(const AreaSummary::Row &left, const AreaSummary::Row &right, int column)
{
    switch (column) {
    case AreaRowModel::Name: return left.name < right.name;
    case AreaRowModel::Count: return left.count < right.count;
    case AreaRowModel::Average: return left.average() < right.average();
    case AreaRowModel::Minimum: return left.minimum < right.minimum;
    case AreaRowModel::Maximum: return left.maximum < right.maximum;
    case AreaRowModel::Self: return left.self < right.self;
    case AreaRowModel::Category: return left.category < right.category;
    default: return left.sum < right.sum;
    }
}

QString text(const AreaSummary &summary, const AreaSummary::Row &row, int column)
{
    switch (column) {
    case AreaRowModel::Name: return singleLine(toQString(row.name));
    case AreaRowModel::Count: return toQString(formatCount(static_cast<int64_t>(row.count)));
    case AreaRowModel::Sum: return toQString(formatDuration(row.sum));
    case AreaRowModel::Average: return toQString(formatDuration(std::llround(row.average())));
    case AreaRowModel::Minimum: return toQString(formatDuration(row.minimum));
    case AreaRowModel::Maximum: return toQString(formatDuration(row.maximum));
    case AreaRowModel::Self: return toQString(formatDuration(row.self));
    case AreaRowModel::Share: return toQString(formatShare(summary.share(row)));
    case AreaRowModel::Category: return toQString(row.category);
    default: return {};
    }
}

} // namespace

void AreaRowModel::setSummary(AreaSummary summary)
{
    beginResetModel();
    m_summary = std::move(summary);
    m_order.resize(m_summary.rows.size());
    std::iota(m_order.begin(), m_order.end(), 0u);
    reorder();
    endResetModel();
}

void AreaRowModel::reorder()
{
    std::stable_sort(m_order.begin(), m_order.end(), [this](uint32_t left, uint32_t right) {
        const AreaSummary::Row &a = m_summary.rows[left];
        const AreaSummary::Row &b = m_summary.rows[right];
        return m_direction == Qt::AscendingOrder ? before(a, b, m_column) : before(b, a, m_column);
    });
}

void AreaRowModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= ColumnCount)
        return;
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    const std::vector<uint32_t> orderBefore = m_order;
    m_column = column;
    m_direction = order;
    reorder();
    std::vector<int> place(m_order.size());
    for (size_t i = 0; i < m_order.size(); ++i)
        place[m_order[i]] = static_cast<int>(i);
    for (const QModelIndex &index : before)
        changePersistentIndex(index, createIndex(place[orderBefore[static_cast<size_t>(index.row())]], index.column()));
    emit layoutChanged();
}

int AreaRowModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int AreaRowModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant AreaRowModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return text(m_summary, row(index.row()), index.column());
    case Qt::ToolTipRole:
        return index.column() == Name ? QVariant(toQString(row(index.row()).name).left(2000)) : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() == Name || index.column() == Category ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                                                    : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant AreaRowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Name || section == Category ? Qt::AlignLeft : Qt::AlignRight;
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Sum: return tr("Summed duration inside the range");
        case Self: return tr("Duration without that of the children, inside the range");
        case Share: return tr("Sum over the length of the range; above 100 % when several run at once");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("Name");
    case Count: return tr("Count");
    case Sum: return tr("Sum");
    case Average: return tr("Average");
    case Minimum: return tr("Minimum");
    case Maximum: return tr("Maximum");
    case Self: return tr("Self");
    case Share: return tr("Of range");
    case Category: return tr("Category");
    default: return {};
    }
}

QString AreaRowModel::csv() const
{
    QString text;
    QTextStream out(&text);
    out << "name,category,count,cut,sum_ns,average_ns,minimum_ns,maximum_ns,self_ns,share\n";
    for (const uint32_t at : m_order) {
        const AreaSummary::Row &row = m_summary.rows[at];
        out << csvField(row.name) << ',' << csvField(row.category) << ',' << row.count << ',' << row.cut << ','
            << row.sum << ',' << std::llround(row.average()) << ',' << row.minimum << ',' << row.maximum << ','
            << row.self << ',' << QString::number(m_summary.share(row), 'g', 9) << '\n';
    }
    out.flush();
    return text;
}

} // namespace riffle
