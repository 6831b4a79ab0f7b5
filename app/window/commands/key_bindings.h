// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>

class QAction;

namespace riffle {

class Settings;

/// The keys of the window's actions, which the user can change. A key belongs to at most one action. What the user has
/// chosen is kept in the settings by the actions' object names. Menus and tool tips show the keys that hold now.
class KeyBindings : public QObject {
    Q_OBJECT
public:
    /// The shortcuts that the actions have are their defaults. Actions without an object name keep theirs.
    KeyBindings(Settings *settings, const QList<QAction *> &actions, QObject *parent);

    const QList<QAction *> &actions() const { return m_actions; }
    QList<QKeySequence> defaults(const QAction *action) const;
    bool isChanged(const QAction *action) const;
    /// The action that has a key; null if none has it.
    QAction *holder(const QKeySequence &key) const;
    /// Gives an action these keys, which other actions lose.
    void bind(QAction *action, const QList<QKeySequence> &keys);
    void resetAll();

signals:
    void changed();

private:
    void set(QAction *action, const QList<QKeySequence> &keys);
    void showKeys(QAction *action);

    struct Origin {
        QList<QKeySequence> keys;
        QString text, buttonText, toolTip;
    };
    Settings *m_settings;
    QList<QAction *> m_actions;
    QHash<const QAction *, Origin> m_origins;
};

} // namespace riffle
