// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/key_recorder.h"

#include <QKeyEvent>

namespace riffle {

namespace {

bool isKept(int key)
{
    return key == Qt::Key_Escape || key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_Return ||
           key == Qt::Key_Enter;
}

bool isModifier(int key)
{
    return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta ||
           key == Qt::Key_AltGr || key == Qt::Key_CapsLock || key == Qt::Key_unknown;
}

/// The key of an event as shortcuts name it: "?" and not "Shift+?".
QKeySequence keyOf(const QKeyEvent &event)
{
    const int key = event.key();
    const bool isSign = key > Qt::Key_Space && key <= Qt::Key_AsciiTilde && !(key >= Qt::Key_A && key <= Qt::Key_Z);
    Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (isSign && !(key >= Qt::Key_0 && key <= Qt::Key_9))
        modifiers &= ~Qt::ShiftModifier;
    return QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(key)));
}

} // namespace

KeyRecorder::KeyRecorder(QWidget *parent) : QLineEdit(parent)
{
    setReadOnly(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    setPlaceholderText(tr("Press the new key"));
    setAccessibleName(tr("New key"));
}

void KeyRecorder::setKey(const QKeySequence &key)
{
    m_key = key;
    setText(key.toString(QKeySequence::NativeText));
}

bool KeyRecorder::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride && !isKept(static_cast<QKeyEvent *>(event)->key())) {
        event->accept();
        return true;
    }
    return QLineEdit::event(event);
}

void KeyRecorder::keyPressEvent(QKeyEvent *event)
{
    if (isKept(event->key()))
        return event->ignore();
    if (isModifier(event->key()))
        return;
    setKey(keyOf(*event));
    emit recorded();
}

} // namespace riffle
