// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/marks/marks_view.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace riffle {

namespace {

enum MarkColumn { At, Length, Rank, Note };

}

MarksView::MarksView(Session *session, QWidget *parent)
    : View(session, Session::Traces | Session::Members | Session::Clock | Session::Marks, parent)
    , m_hint(new QLabel(this))
    , m_list(new QTreeWidget(this))
{
    m_hint->setText(tr("Press m to mark the selected slice, the range or the time under the cursor."));
    m_hint->setWordWrap(true);
    m_hint->setEnabled(false);
    m_list->setHeaderLabels({tr("Time"), tr("Length"), tr("Rank"), tr("Note")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers); // only the note is editable, see below
    m_list->header()->setStretchLastSection(true);
    auto *remove = new QAction(tr("Remove mark"), m_list);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(remove);
    auto *write = new QAction(tr("Edit note"), m_list);
    write->setShortcut(Qt::Key_F2);
    write->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(write);
    m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addWidget(m_hint);
    layout->addWidget(m_list, 1);

    connect(remove, &QAction::triggered, this, &MarksView::removeSelected);
    connect(write, &QAction::triggered, this, [this] {
        if (QTreeWidgetItem *item = m_list->currentItem())
            m_list->editItem(item, Note);
    });
    connect(m_list, &QTreeWidget::itemChanged, this, &MarksView::takeNote);
    connect(m_list, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem *item, int column) {
        if (column != Note)
            goTo(item);
        else
            m_list->editItem(item, Note);
    });
}

void MarksView::refresh(Session::Changes)
{
    m_filling = true;
    m_list->clear();
    const TraceSet &traces = session()->traces();
    m_list->setColumnHidden(Rank, traces.members().size() < 2);
    for (const Mark &mark : session()->marks()) {
        auto *item = new QTreeWidgetItem(m_list);
        item->setText(At, toQString(formatDuration(mark.in(traces).begin - traces.origin())));
        if (traces.member(mark.trace))
            item->setText(Rank, toQString(traces.title(mark.trace)));
        item->setText(Length, mark.span.empty() ? QString() : toQString(formatDuration(mark.span.duration())));
        item->setText(Note, mark.note);
        item->setFlags(item->flags() | Qt::ItemIsEditable);
    }
    m_filling = false;
    m_hint->setVisible(session()->marks().empty());
    m_list->setVisible(!session()->marks().empty());
}

void MarksView::goTo(const QTreeWidgetItem *item)
{
    const int row = m_list->indexOfTopLevelItem(const_cast<QTreeWidgetItem *>(item));
    if (row < 0 || static_cast<size_t>(row) >= session()->marks().size())
        return;
    const TimeSpan span = session()->marks()[static_cast<size_t>(row)].in(session()->traces());
    const Ns width = span.empty() ? session()->pane()->visibleRange().duration() : span.duration() * 6 / 5;
    const Ns middle = span.begin + span.duration() / 2;
    session()->pane()->goTo({middle - width / 2, middle + (width + 1) / 2});
}

void MarksView::takeNote(const QTreeWidgetItem *item)
{
    const int row = m_list->indexOfTopLevelItem(const_cast<QTreeWidgetItem *>(item));
    if (m_filling || row < 0 || static_cast<size_t>(row) >= session()->marks().size())
        return;
    std::vector<Mark> marks = session()->marks();
    marks[static_cast<size_t>(row)].note = item->text(Note);
    session()->setMarks(std::move(marks));
}

void MarksView::removeSelected()
{
    std::vector<Mark> marks = session()->marks();
    const int row = m_list->currentIndex().row();
    if (row < 0 || static_cast<size_t>(row) >= marks.size())
        return;
    marks.erase(marks.begin() + row);
    session()->setMarks(std::move(marks));
}

} // namespace riffle
