// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/key_bindings.h"

#include "app/session/settings.h"
#include "app/window/commands/command_list.h"

#include <QAction>

namespace riffle {

namespace {

QStringList written(const QList<QKeySequence> &keys)
{
    QStringList texts;
    for (const QKeySequence &key : keys)
        texts += key.toString(QKeySequence::PortableText);
    return texts;
}

QList<QKeySequence> readKeys(const QStringList &texts)
{
    QList<QKeySequence> keys;
    for (const QString &text : texts)
        if (const QKeySequence key(text, QKeySequence::PortableText);
            key != QKeySequence(Qt::Key_unknown) && !key.isEmpty())
            keys += key;
    return keys;
}

} // namespace

KeyBindings::KeyBindings(Settings *settings, const QList<QAction *> &actions, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
{
    for (QAction *action : actions) {
        if (action->objectName().isEmpty())
            continue;
        m_actions += action;
        m_origins[action] = {action->shortcuts(), action->text(), action->iconText(), action->toolTip()};
    }
    QList<QKeySequence> chosen;
    for (QAction *action : m_actions)
        if (const auto own = settings->keys(action->objectName())) {
            action->setShortcuts(readKeys(*own));
            chosen += action->shortcuts();
        }
    for (QAction *action : m_actions) { // a key that the user gave to one action is no default of another one
        if (!settings->keys(action->objectName())) {
            QList<QKeySequence> keys = action->shortcuts();
            keys.removeIf([&](const QKeySequence &key) { return chosen.contains(key); });
            action->setShortcuts(keys);
        }
        showKeys(action);
    }
}

QList<QKeySequence> KeyBindings::defaults(const QAction *action) const { return m_origins.value(action).keys; }

bool KeyBindings::isChanged(const QAction *action) const { return action->shortcuts() != defaults(action); }

QAction *KeyBindings::holder(const QKeySequence &key) const
{
    for (QAction *action : m_actions)
        if (action->shortcuts().contains(key))
            return action;
    return nullptr;
}

void KeyBindings::bind(QAction *action, const QList<QKeySequence> &keys)
{
    for (const QKeySequence &key : keys)
        if (QAction *other = holder(key); other && other != action) {
            QList<QKeySequence> rest = other->shortcuts();
            rest.removeAll(key);
            set(other, rest);
        }
    set(action, keys);
    emit changed();
}

void KeyBindings::resetAll()
{
    for (QAction *action : m_actions)
        set(action, defaults(action));
    emit changed();
}

void KeyBindings::set(QAction *action, const QList<QKeySequence> &keys)
{
    action->setShortcuts(keys);
    m_settings->setKeys(action->objectName(),
                        isChanged(action) ? std::optional(written(keys)) : std::optional<QStringList>());
    showKeys(action);
}

/// Shows the keys in the tool tip and, if the views handle one of them, in the menu, too.
void KeyBindings::showKeys(QAction *action)
{
    const Origin &origin = m_origins[action];
    const QString keys = shownKeys(*action);
    action->setToolTip(keys.isEmpty() ? origin.toolTip : tr("%1 (%2)").arg(origin.toolTip, keys));
    if (keys != action->shortcut().toString(QKeySequence::NativeText) && !keys.isEmpty())
        action->setText(origin.text + QLatin1Char('\t') + keys);
    else
        action->setText(origin.text);
    action->setIconText(origin.buttonText); // otherwise, buttons would show the keys, too
}

} // namespace riffle
