// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/query/query_editor.h"

#include <QFontDatabase>
#include <QKeyEvent>

#include <algorithm>

namespace riffle {

namespace {

constexpr qsizetype kMostQueries = 200;

bool isOurs(const QKeyEvent *event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    const bool isArrow = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    return (isEnter && event->modifiers() & Qt::ControlModifier) || (isArrow && event->modifiers() & Qt::AltModifier);
}

} // namespace

QueryEditor::QueryEditor(QWidget *parent) : QPlainTextEdit(parent)
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabChangesFocus(true);
    setPlaceholderText(tr("select … from slices; Ctrl+Enter runs it"));
    setAccessibleName(tr("Query"));
}

void QueryEditor::setHistory(const QStringList &history)
{
    m_history = history;
    m_back = 0;
}

void QueryEditor::remember()
{
    const QString text = toPlainText().trimmed();
    m_history.removeAll(text);
    m_history.push_back(text);
    while (m_history.size() > kMostQueries)
        m_history.removeFirst();
    m_back = 0;
}

void QueryEditor::setText(const QString &text)
{
    QTextCursor all(document());
    all.select(QTextCursor::Document);
    all.insertText(text);
    setTextCursor(all);
}

void QueryEditor::goToByte(uint64_t byte)
{
    const QByteArray before = toPlainText().toUtf8().left(static_cast<qsizetype>(std::min<uint64_t>(byte, INT32_MAX)));
    QTextCursor at = textCursor();
    at.setPosition(static_cast<int>(QString::fromUtf8(before).size()));
    setTextCursor(at);
}

void QueryEditor::goBack(int steps)
{
    const qsizetype back = std::clamp<qsizetype>(m_back + steps, 0, m_history.size());
    if (back == m_back)
        return;
    if (m_back == 0)
        m_written = toPlainText();
    m_back = back;
    setText(back == 0 ? m_written : m_history[m_history.size() - back]);
}

bool QueryEditor::event(QEvent *event)
{
    // Takes these keys before the window's shortcuts do.
    if (event->type() == QEvent::ShortcutOverride && isOurs(static_cast<QKeyEvent *>(event))) {
        event->accept();
        return true;
    }
    return QPlainTextEdit::event(event);
}

void QueryEditor::keyPressEvent(QKeyEvent *event)
{
    if (!isOurs(event))
        QPlainTextEdit::keyPressEvent(event);
    else if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)
        goBack(event->key() == Qt::Key_Up ? 1 : -1);
    else
        emit runRequested();
}

} // namespace riffle
