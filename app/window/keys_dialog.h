// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

#include <utility>

class QAction;

namespace riffle {

/// The keys that are needed most, and what each of them does.
QList<std::pair<QString, QString>> usefulKeys();

/// Lists the keyboard shortcuts of the timeline and of the window's actions.
class KeysDialog : public QDialog {
    Q_OBJECT
public:
    explicit KeysDialog(const QList<QAction *> &actions, QWidget *parent = nullptr);
};

} // namespace riffle
