// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QKeySequence>

class QAction;
class QLabel;
class QLineEdit;
class QMenuBar;
class QPushButton;
class QTreeWidget;

namespace riffle {

class KeyBindings;
class KeyRecorder;

/// Lists the keys and mouse gestures of every view and of the menus, and changes the latter. A key that another command
/// has must be taken from it first, which the dialog says and offers.
class KeysDialog : public QDialog {
    Q_OBJECT
public:
    KeysDialog(KeyBindings *bindings, const QMenuBar &menus, QWidget *parent = nullptr);

private:
    void fill(const QMenuBar &menus);
    void showKeys();
    void find();
    void showChosen();
    void change(const QList<QKeySequence> &keys);
    void reset();
    QAction *chosen() const;

    KeyBindings *m_bindings;
    QLineEdit *m_find;
    QTreeWidget *m_list;
    KeyRecorder *m_recorder;
    QLabel *m_conflict;
    QPushButton *m_set, *m_add, *m_take, *m_none, *m_reset;
};

} // namespace riffle
