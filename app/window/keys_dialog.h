// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>

class QAction;

namespace riffle {

/// Lists the keyboard shortcuts of the timeline and of the window's actions.
class KeysDialog : public QDialog {
    Q_OBJECT
public:
    explicit KeysDialog(const QList<QAction *> &actions, QWidget *parent = nullptr);
};

} // namespace riffle
