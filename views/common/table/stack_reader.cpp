// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/stack_reader.h"

#include "views/common/look/qt_text.h"
#include "views/common/table/stack_row_model.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace riffle {

StackReader::StackReader(QWidget *parent)
    : QWidget(parent)
    , m_rows(new StackRowModel(this))
    , m_top(new QLabel(this))
    , m_search(new QLineEdit(this))
    , m_unfold(new QToolButton(this))
    , m_list(new QTreeView(this))
{
    m_top->setTextFormat(Qt::RichText);
    m_top->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_top->setContextMenuPolicy(Qt::NoContextMenu);
    m_top->setWordWrap(true);
    m_top->setMinimumWidth(0);
    m_search->setPlaceholderText(tr("Find in stack"));
    m_search->setClearButtonEnabled(true);
    m_unfold->setText(tr("Unfold"));
    m_unfold->setToolTip(tr("Show library, PyTorch and runtime frames"));
    m_unfold->setCheckable(true);
    auto *copy = new QToolButton(this);
    copy->setText(tr("Copy"));
    copy->setToolTip(tr("Copy the whole stack"));
    m_list->setModel(m_rows);
    m_list->setHeaderHidden(true);
    m_list->setUniformRowHeights(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->installEventFilter(this);

    auto *bar = new QHBoxLayout;
    bar->addWidget(m_search, 1);
    bar->addWidget(m_unfold);
    bar->addWidget(copy);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_top);
    layout->addLayout(bar);
    layout->addWidget(m_list, 1);

    connect(m_search, &QLineEdit::textChanged, m_rows, &StackRowModel::setFilter);
    connect(m_rows, &QAbstractItemModel::modelReset, this, &StackReader::showFolds);
    connect(m_unfold, &QToolButton::toggled, this, &StackReader::showFolds);
    connect(copy, &QToolButton::clicked, this, &StackReader::copyAll);
    connect(m_list, &QTreeView::activated, this, &StackReader::activate);
    connect(m_list, &QTreeView::customContextMenuRequested, this, &StackReader::showMenu);
    connect(m_top, &QLabel::linkActivated, this, [this] { activate(m_rows->indexOf(firstOwnFrame(frames()))); });
    setFrames({});
}

void StackReader::setFrames(std::vector<StackFrame> frames, const QString &note)
{
    QString top = tr("No call stack was recorded here.");
    if (!frames.empty()) {
        const StackFrame &own = frames[firstOwnFrame(frames)];
        const QString label = frameLabel(own).toHtmlEscaped();
        top = own.file.empty() ? QStringLiteral("<b>%1</b>").arg(label)
                               : QStringLiteral("<a href=\"open\"><b>%1</b></a>").arg(label);
        if (!note.isEmpty())
            top += QStringLiteral("<br>") + note.toHtmlEscaped();
    }
    m_top->setText(top);
    m_search->setEnabled(!frames.empty());
    m_list->setVisible(!frames.empty());
    m_search->setVisible(!frames.empty());
    m_rows->setFrames(std::move(frames));
}

const std::vector<StackFrame> &StackReader::frames() const { return m_rows->frames(); }

void StackReader::showFolds()
{
    if (m_unfold->isChecked())
        m_list->expandAll();
    else
        m_list->collapseAll();
}

void StackReader::activate(const QModelIndex &index)
{
    const StackFrame *frame = m_rows->frame(index);
    if (!frame) {
        m_list->setExpanded(index, !m_list->isExpanded(index));
        return;
    }
    if (!frame->file.empty())
        emit openRequested(toQString(frame->file), frame->line);
    else if (frame->slice.valid())
        emit sliceRequested(frame->slice);
}

void StackReader::copyFrame(const QModelIndex &index) const
{
    if (const StackFrame *frame = m_rows->frame(index))
        QApplication::clipboard()->setText(toQString(frame->text));
}

void StackReader::copyAll() const
{
    QString text;
    for (const StackFrame &frame : frames())
        text += toQString(frame.text) + QLatin1Char('\n');
    QApplication::clipboard()->setText(text);
}

void StackReader::showMenu(const QPoint &at)
{
    const QModelIndex index = m_list->indexAt(at);
    const StackFrame *frame = m_rows->frame(index);
    QMenu menu(this);
    QAction *open = menu.addAction(tr("Open in editor"));
    open->setEnabled(frame && !frame->file.empty());
    QAction *go = menu.addAction(tr("Go to this call"));
    go->setEnabled(frame && frame->slice.valid());
    QAction *copy = menu.addAction(tr("Copy frame"));
    copy->setEnabled(frame != nullptr);
    QAction *all = menu.addAction(tr("Copy stack"));
    const QAction *chosen = menu.exec(m_list->viewport()->mapToGlobal(at));
    if (chosen == open)
        emit openRequested(toQString(frame->file), frame->line);
    else if (chosen == go)
        emit sliceRequested(frame->slice);
    else if (chosen == copy)
        copyFrame(index);
    else if (chosen == all)
        copyAll();
}

bool StackReader::eventFilter(QObject *watched, QEvent *event)
{
    // The window's own Ctrl+C copies the name of the selected slice; here it copies the frame.
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Copy)) {
            if (event->type() == QEvent::KeyPress)
                copyFrame(m_list->currentIndex());
            event->accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace riffle
