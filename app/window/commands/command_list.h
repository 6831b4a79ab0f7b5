// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QAction;
class QMenuBar;

namespace riffle {

/// Something that the user can do, by name.
struct Command {
    QString title;
    QString place; ///< where it stands besides: "View ▸ Theme"
    QString keys;
    bool isPossible = true;
    bool isOn = false; ///< a check mark stands before it in its menu
    std::function<void()> run;

    QString path() const { return place + QStringLiteral(" ▸ ") + title; }
};

/// The title of an action without the underlined letter, the keys and the dots at the end.
QString plainTitle(const QAction &action);
/// The keys of an action as they are shown, also those that only its view handles; empty if it has none.
QString shownKeys(const QAction &action);
/// Marks an action whose key the views handle themselves, so that it is shown but is no shortcut of the window.
void setViewKey(QAction *action, const QString &key);

/// The actions of the menus whose keys can be changed: all but those of menus that are filled when they open. Each gets
/// an object name for the settings, made of its menu and its title, if it has none.
QList<QAction *> nameActions(const QMenuBar &menus);

/// All actions of the menus and their submenus, in order. Menus that are filled or updated when they open are so
/// before.
std::vector<Command> commandsOf(const QMenuBar &menus);

/// How well a command fits what the user has typed: each word must occur in its path, at the start of a word, inside
/// one, or at least letter by letter. A larger number fits better; nothing if a word does not occur.
std::optional<int> fit(const Command &command, const QString &typed);

} // namespace riffle
