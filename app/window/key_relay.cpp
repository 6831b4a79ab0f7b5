// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/key_relay.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QScopedValueRollback>

#include <utility>

namespace riffle {

namespace {

/// True for the keys of the timeline that lists and charts do not need themselves.
bool isForThePage(const QKeyEvent &event)
{
    const int key = event.key();
    const bool isPlain = !(event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    return isPlain && ((key >= Qt::Key_A && key <= Qt::Key_Z) || key == Qt::Key_0 || key == Qt::Key_Comma ||
                       key == Qt::Key_Period || key == Qt::Key_Less || key == Qt::Key_Greater);
}

} // namespace

KeyRelay::KeyRelay(QWidget *window, std::function<QWidget *()> page)
    : QObject(window)
    , m_window(window)
    , m_page(std::move(page))
{
    window->installEventFilter(this);
    for (QAbstractItemView *list : window->findChildren<QAbstractItemView *>())
        list->installEventFilter(this);
    for (QComboBox *box : window->findChildren<QComboBox *>())
        if (!box->isEditable()) // in the others, the user types
            box->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, &KeyRelay::letGo);
}

bool KeyRelay::eventFilter(QObject *watched, QEvent *event)
{
    const bool isPress = event->type() == QEvent::KeyPress;
    if (m_relaying || (!isPress && event->type() != QEvent::KeyRelease))
        return false;
    // A list or a box gets the press before it would use it; their releases, and the keys of others, come when nobody
    // wanted them.
    if (watched != m_window && !isPress)
        return false;
    return relay(*static_cast<QKeyEvent *>(event));
}

bool KeyRelay::relay(const QKeyEvent &event)
{
    QWidget *page = m_page();
    if (!page || !isForThePage(event))
        return false;
    while (page->focusProxy())
        page = page->focusProxy();
    if (page->hasFocus() || page->isAncestorOf(QApplication::focusWidget()))
        return false;
    const QScopedValueRollback relaying(m_relaying, true);
    QKeyEvent copy(event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat());
    QApplication::sendEvent(page, &copy);
    if (copy.isAccepted())
        m_holder = event.type() == QEvent::KeyPress ? page : nullptr;
    return copy.isAccepted();
}

/// Tells the page that no key is held any more, because the release goes elsewhere.
void KeyRelay::letGo()
{
    if (!m_holder || m_holder->hasFocus())
        return;
    QFocusEvent out(QEvent::FocusOut);
    QApplication::sendEvent(m_holder, &out);
    m_holder = nullptr;
}

} // namespace riffle
