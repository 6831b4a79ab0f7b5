// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/command_list.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QRegularExpression>

#include <algorithm>

namespace riffle {

namespace {

constexpr const char *kViewKey = "viewKey";

QString keyName(const QKeySequence &key)
{
    const QString text = key.toString(QKeySequence::NativeText);
    return text.size() == 1 ? text.toLower() : text;
}

void addCommands(std::vector<Command> &commands, QMenu &menu, const QString &place)
{
    emit menu.aboutToShow();
    for (QAction *action : menu.actions()) {
        if (action->isSeparator())
            continue;
        if (action->menu()) {
            addCommands(commands, *action->menu(), place + QStringLiteral(" ▸ ") + plainTitle(*action));
            continue;
        }
        Command command;
        command.title = plainTitle(*action);
        command.place = place;
        command.keys = shownKeys(*action);
        command.isPossible = action->isEnabled() && action->isVisible();
        command.isOn = action->isChecked();
        command.run = [known = QPointer(action)] {
            if (known) // menus that are filled when they open may have replaced it
                known->trigger();
        };
        commands.push_back(std::move(command));
    }
}

void nameActions(QList<QAction *> &named, const QMenu &menu, const QString &name)
{
    static const QRegularExpression between(QStringLiteral("[^\\w]+"));
    for (QAction *action : menu.actions()) {
        const QString own =
            name + QLatin1Char('.') + plainTitle(*action).toLower().replace(between, QStringLiteral("-"));
        if (action->menu()) {
            nameActions(named, *action->menu(), own);
        } else if (!action->isSeparator() && !action->text().isEmpty()) {
            if (action->objectName().isEmpty())
                action->setObjectName(own);
            named += action;
        }
    }
}

/// Returns the places of a word's letters in a text as the number of letters between them; nothing if they do not
/// occur in this order.
std::optional<int> gaps(QStringView text, QStringView word)
{
    qsizetype at = -1, first = -1;
    for (const QChar letter : word) {
        at = text.indexOf(letter, at + 1);
        if (at < 0)
            return std::nullopt;
        if (first < 0)
            first = at;
    }
    return static_cast<int>(at - first + 1 - word.size());
}

std::optional<int> fitOfWord(const QString &title, const QString &place, const QString &word)
{
    const auto startsWord = [&word](const QString &text) {
        for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
            if (at == 0 || !text[at - 1].isLetterOrNumber())
                return true;
        return false;
    };
    if (title.startsWith(word))
        return 100;
    if (startsWord(title))
        return 80;
    if (title.contains(word))
        return 60;
    if (startsWord(place))
        return 40;
    if (const auto between = gaps(title, word))
        return std::max(1, 20 - *between);
    return std::nullopt;
}

} // namespace

QString plainTitle(const QAction &action)
{
    QString text = action.text().section(QLatin1Char('\t'), 0, 0);
    text.replace(QRegularExpression(QStringLiteral("&(.)")), QStringLiteral("\\1"));
    return text.remove(QStringLiteral("…"));
}

QString shownKeys(const QAction &action)
{
    QStringList keys;
    if (const QString own = action.property(kViewKey).toString(); !own.isEmpty())
        keys += own;
    for (const QKeySequence &key : action.shortcuts())
        keys += keyName(key);
    return keys.join(QLatin1String(", "));
}

void setViewKey(QAction *action, const QString &key) { action->setProperty(kViewKey, key); }

QList<QAction *> nameActions(const QMenuBar &menus)
{
    QList<QAction *> named;
    for (const QAction *action : menus.actions())
        if (action->menu())
            nameActions(named, *action->menu(), plainTitle(*action).toLower());
    return named;
}

std::vector<Command> commandsOf(const QMenuBar &menus)
{
    std::vector<Command> commands;
    for (const QAction *action : menus.actions())
        if (action->menu())
            addCommands(commands, *action->menu(), plainTitle(*action));
    return commands;
}

std::optional<int> fit(const Command &command, const QString &typed)
{
    const QString title = command.title.toLower(), place = command.place.toLower();
    int sum = 0;
    for (const QString &word : typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const auto found = fitOfWord(title, place, word);
        if (!found)
            return std::nullopt;
        sum += *found;
    }
    return sum;
}

} // namespace riffle
