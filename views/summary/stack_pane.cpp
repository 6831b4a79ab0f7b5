// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/stack_pane.h"

#include "model/analysis/slice/slices_around.h"
#include "views/common/look/qt_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

StackPane::StackPane(Session *session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_said(new QLabel(this))
    , m_list(new QTreeWidget(this))
{
    m_said->setTextFormat(Qt::PlainText);
    m_said->setWordWrap(true);
    m_said->setContentsMargins(6, 3, 6, 3);
    m_list->setHeaderLabels({tr("Enclosing slices, innermost first"), tr("Kind")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->setAccessibleName(tr("The slices around the allocation"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_said);
    layout->addWidget(m_list, 1);
    connect(m_list, &QTreeWidget::itemClicked, this, &StackPane::goTo);
    connect(m_list, &QTreeWidget::itemActivated, this, &StackPane::goTo);
}

QString StackPane::said() const { return m_said->text(); }

void StackPane::showAround(SliceRef innermost)
{
    m_list->clear();
    m_slices.clear();
    m_trace = innermost.trace;
    const Trace *trace = m_session->traces().trace(innermost.trace);
    const std::vector<SliceAround> around =
        trace && innermost.valid() ? slicesAround(*trace, innermost.slice) : std::vector<SliceAround>();
    m_list->setVisible(!around.empty());
    if (around.empty()) {
        m_said->setText(tr("No slices were recorded around it on its thread."));
        return;
    }
    bool python = false;
    for (const SliceAround &one : around) {
        const QString name = toQString(one.name);
        const QString kind = tr(aroundKindName(one.kind));
        auto *item = new QTreeWidgetItem(m_list, {name, one.forward ? tr("%1, forward").arg(kind) : kind});
        item->setToolTip(0, name);
        QFont font = item->font(0);
        font.setBold(one.own);
        font.setItalic(one.forward);
        item->setFont(0, font);
        m_slices.push_back(one.slice);
        python |= one.kind == AroundKind::Python || one.kind == AroundKind::Module;
    }
    const auto operation = std::find_if(around.begin(), around.end(),
                                        [](const SliceAround &one) { return one.kind == AroundKind::Operator; });
    const auto own = std::find_if(around.begin(), around.end(), [](const SliceAround &one) { return one.own; });
    QString text =
        operation == around.end() || operation->forward ? tr("Not in an operator") : toQString(operation->name);
    if (own != around.end())
        text += (own->forward ? tr(", backward of %1") : tr(", in %1")).arg(toQString(own->name));
    else if (!python)
        text += tr(". No Python functions were recorded around it; with_stack=True records them.");
    m_said->setText(singleLine(text, 400));
}

void StackPane::goTo(const QTreeWidgetItem *item)
{
    const int row = m_list->indexOfTopLevelItem(const_cast<QTreeWidgetItem *>(item));
    if (row < 0 || static_cast<size_t>(row) >= m_slices.size())
        return;
    const SliceRef slice{m_trace, m_slices[static_cast<size_t>(row)]};
    m_session->select(slice);
    m_session->pane()->reveal(slice);
}

} // namespace riffle
