// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log_tree_items.h"

#include "views/common/qt_text.h"

#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

namespace riffle {

namespace {

constexpr int kNodeRole = Qt::UserRole, kValueRole = Qt::UserRole + 1;

class Item : public QTreeWidgetItem {
public:
    bool operator<(const QTreeWidgetItem &other) const override
    {
        const int column = treeWidget() ? treeWidget()->sortColumn() : 0;
        if (column <= 0)
            return column < 0 ? nodeOf(*this) < nodeOf(other) : QTreeWidgetItem::operator<(other);
        return data(column, kValueRole).toLongLong() < other.data(column, kValueRole).toLongLong();
    }
};

} // namespace

uint32_t nodeOf(const QTreeWidgetItem &item) { return item.data(0, kNodeRole).toUInt(); }

QList<QTreeWidgetItem *> logTreeItems(const LogTree &tree, const LogTree *other, const std::vector<uint32_t> &same, const std::function<QString(int64_t)> &text)
{
    QList<QTreeWidgetItem *> tops;
    std::vector<QTreeWidgetItem *> above;
    for (uint32_t node = 0; node < tree.size(); ++node) {
        auto *item = new Item;
        const auto set = [&](int column, int64_t value, const QString &shown) {
            item->setText(column, shown);
            item->setData(column, kValueRole, static_cast<qlonglong>(value));
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        };
        item->setText(0, singleLine(toQString(tree.names[node]), 400));
        item->setToolTip(0, wrappedHtml(toQString(tree.paths[node])));
        item->setData(0, kNodeRole, node);
        set(1, tree.values[node], text(tree.values[node]));
        set(2, tree.own[node], text(tree.own[node]));
        if (other) {
            const uint32_t twin = node < same.size() ? same[node] : LogTree::kNone;
            const int64_t there = twin == LogTree::kNone ? 0 : other->values[twin], difference = tree.values[node] - there;
            set(3, there, twin == LogTree::kNone ? QStringLiteral("–") : text(there));
            set(4, difference, difference < 0 ? QStringLiteral("−") + text(-difference) : (difference > 0 ? QStringLiteral("+") : QString()) + text(difference));
        }
        above.resize(std::min<size_t>(above.size(), tree.depth[node]));
        above.empty() ? tops.append(item) : above.back()->addChild(item);
        above.push_back(item);
    }
    return tops;
}

QTreeWidgetItem *itemOf(QTreeWidget &widget, uint32_t node)
{
    for (QTreeWidgetItemIterator at(&widget); *at; ++at)
        if (nodeOf(**at) == node)
            return *at;
    return nullptr;
}

} // namespace riffle
