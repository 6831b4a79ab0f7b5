// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/keys_dialog.h"

#include "app/window/commands/command_list.h"
#include "app/window/commands/key_bindings.h"
#include "app/window/commands/key_guide.h"
#include "app/window/commands/key_recorder.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

enum Column : int { kWhat, kKeys };
constexpr int kActionRole = Qt::UserRole;

QTreeWidgetItem *addGroup(QTreeWidget *list, const QString &title)
{
    auto *group = new QTreeWidgetItem(list, {title});
    QFont bold = list->font();
    bold.setBold(true);
    group->setFont(kWhat, bold);
    group->setFlags(Qt::ItemIsEnabled);
    group->setFirstColumnSpanned(true);
    return group;
}

QAction *actionOf(const QTreeWidgetItem *item)
{
    return item ? item->data(kWhat, kActionRole).value<QAction *>() : nullptr;
}

bool containsAll(const QString &text, const QStringList &words)
{
    return std::ranges::all_of(words, [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

void addRows(QTreeWidgetItem *group, const QMenu &menu, const QString &before)
{
    for (QAction *action : menu.actions()) {
        const QString title = before + plainTitle(*action);
        if (action->menu())
            addRows(group, *action->menu(), title + QStringLiteral(" ▸ "));
        else if (!action->objectName().isEmpty())
            (new QTreeWidgetItem(group, {title}))->setData(kWhat, kActionRole, QVariant::fromValue(action));
    }
}

} // namespace

KeysDialog::KeysDialog(KeyBindings *bindings, const QMenuBar &menus, QWidget *parent)
    : QDialog(parent)
    , m_bindings(bindings)
    , m_find(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
    , m_recorder(new KeyRecorder(this))
    , m_conflict(new QLabel(this))
    , m_set(new QPushButton(tr("&Set"), this))
    , m_add(new QPushButton(tr("&Add"), this))
    , m_take(new QPushButton(this))
    , m_none(new QPushButton(tr("&No key"), this))
    , m_reset(new QPushButton(tr("&Reset"), this))
{
    setWindowTitle(tr("Keys and mouse gestures"));
    m_find->setPlaceholderText(tr("Search by words or by key"));
    m_find->setAccessibleName(tr("Search keys"));
    m_find->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Keys"));
    m_list->setHeaderLabels({tr("What it does"), tr("Keys, mouse")});
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(kWhat, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(kKeys, QHeaderView::ResizeToContents);
    m_list->setUniformRowHeights(true);
    fill(menus);
    m_conflict->setWordWrap(true);
    m_conflict->setTextFormat(Qt::PlainText);
    m_take->hide();
    m_set->setToolTip(tr("Make this the only key"));
    m_add->setToolTip(tr("Keep the present keys, too"));
    m_reset->setToolTip(tr("Go back to the original keys"));
    auto *all = new QPushButton(tr("Reset a&ll"), this);
    auto *keys = new QHBoxLayout;
    keys->addWidget(m_recorder, 1);
    for (QPushButton *button : {m_set, m_add, m_none, m_reset, all}) {
        button->setAutoDefault(false);
        keys->addWidget(button);
    }
    m_take->setAutoDefault(false);
    auto *conflict = new QHBoxLayout;
    conflict->addWidget(m_conflict, 1);
    conflict->addWidget(m_take);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_find);
    layout->addWidget(m_list, 1);
    layout->addLayout(keys);
    layout->addLayout(conflict);
    layout->addWidget(buttons);
    connect(m_find, &QLineEdit::textChanged, this, &KeysDialog::find);
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        m_recorder->setKey({});
        showChosen();
    });
    connect(m_recorder, &KeyRecorder::recorded, this, &KeysDialog::showChosen);
    connect(m_set, &QPushButton::clicked, this, [this] { change({m_recorder->key()}); });
    connect(m_add, &QPushButton::clicked, this, [this] { change(chosen()->shortcuts() << m_recorder->key()); });
    connect(m_none, &QPushButton::clicked, this, [this] { change({}); });
    connect(m_reset, &QPushButton::clicked, this, &KeysDialog::reset);
    connect(m_take, &QPushButton::clicked, this, [this] {
        QAction *other = m_bindings->holder(m_recorder->key());
        QList<QKeySequence> rest = other->shortcuts();
        rest.removeAll(m_recorder->key());
        m_bindings->bind(other, rest);
    });
    connect(all, &QPushButton::clicked, m_bindings, &KeyBindings::resetAll);
    connect(m_bindings, &KeyBindings::changed, this, &KeysDialog::showKeys);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showKeys();
    m_find->setFocus();
    resize(760, 600);
}

void KeysDialog::fill(const QMenuBar &menus)
{
    QTreeWidgetItem *group = nullptr;
    const char *view = nullptr;
    for (const Gesture &gesture : gestures()) {
        if (gesture.view != view)
            group = addGroup(m_list, guideText(view = gesture.view));
        new QTreeWidgetItem(group, {guideText(gesture.what), guideText(gesture.input)});
    }
    for (const QAction *menu : menus.actions())
        if (menu->menu())
            addRows(addGroup(m_list, tr("Menu %1").arg(plainTitle(*menu))), *menu->menu(), {});
    m_list->expandAll();
}

void KeysDialog::showKeys()
{
    for (QTreeWidgetItemIterator at(m_list); *at; ++at)
        if (const QAction *action = actionOf(*at)) {
            (*at)->setText(kKeys, shownKeys(*action));
            QFont font = m_list->font();
            font.setItalic(m_bindings->isChanged(action));
            (*at)->setFont(kKeys, font);
        }
    showChosen();
}

void KeysDialog::find()
{
    const QStringList words = m_find->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int at = 0; at < m_list->topLevelItemCount(); ++at) {
        QTreeWidgetItem *group = m_list->topLevelItem(at);
        bool any = false;
        for (int row = 0; row < group->childCount(); ++row) {
            QTreeWidgetItem *item = group->child(row);
            const QStringList texts{group->text(kWhat), item->text(kWhat), item->text(kKeys)};
            const bool isFound = containsAll(texts.join(QLatin1Char(' ')), words);
            item->setHidden(!isFound);
            any |= isFound;
        }
        group->setHidden(!any);
    }
}

/// Offers what can be done with the chosen row and the recorded key.
void KeysDialog::showChosen()
{
    const QAction *action = chosen();
    const QKeySequence &key = m_recorder->key();
    const QAction *other = key.isEmpty() ? nullptr : m_bindings->holder(key);
    const Gesture *gesture = key.isEmpty() ? nullptr : gestureWith(key);
    const bool isFree = action && !key.isEmpty() && !other;
    m_recorder->setEnabled(action);
    m_set->setEnabled(isFree);
    m_add->setEnabled(isFree && !action->shortcuts().isEmpty());
    m_none->setEnabled(action && !action->shortcuts().isEmpty());
    m_reset->setEnabled(action && m_bindings->isChanged(action));
    m_take->setVisible(other && other != action);
    const QString name = key.toString(QKeySequence::NativeText);
    if (other == action && other)
        m_conflict->setText(tr("%1 is a key of this command already.").arg(name));
    else if (other) {
        m_conflict->setText(tr("%1 is a key of “%2”.").arg(name, plainTitle(*other)));
        m_take->setText(tr("&Take it from “%1”").arg(plainTitle(*other)));
    } else if (gesture)
        m_conflict->setText(tr("In “%1”, %2 has another meaning, which it would lose: %3.")
                                .arg(guideText(gesture->view), name, guideText(gesture->what)));
    else if (!action && m_list->currentItem())
        m_conflict->setText(tr("The view handles this itself; only the keys of the menus can be changed."));
    else
        m_conflict->setText(action ? QString() : tr("Choose a command of a menu to change its key."));
}

void KeysDialog::change(const QList<QKeySequence> &keys)
{
    m_bindings->bind(chosen(), keys);
    m_recorder->setKey({});
    showChosen();
}

/// Gives the chosen action its original keys. If another one has one of them, says so instead.
void KeysDialog::reset()
{
    const QList<QKeySequence> keys = m_bindings->defaults(chosen());
    for (const QKeySequence &key : keys)
        if (const QAction *other = m_bindings->holder(key); other && other != chosen()) {
            m_recorder->setKey(key);
            showChosen();
            return;
        }
    change(keys);
}

QAction *KeysDialog::chosen() const { return actionOf(m_list->currentItem()); }

} // namespace riffle
