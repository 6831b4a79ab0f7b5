// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/log_tree.h"

#include <QList>
#include <QString>

#include <functional>
#include <vector>

class QTreeWidget;
class QTreeWidgetItem;

namespace riffle {

/// The nodes of a tree as items that sort by their numbers; with another tree, what that has and the difference are columns.
QList<QTreeWidgetItem *> logTreeItems(const LogTree &tree, const LogTree *other, const std::vector<uint32_t> &same, const std::function<QString(int64_t)> &text);
uint32_t nodeOf(const QTreeWidgetItem &item);
QTreeWidgetItem *itemOf(QTreeWidget &widget, uint32_t node); ///< null: none

} // namespace riffle
