// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory_view.h"

#include <QShowEvent>

namespace riffle {

MemoryView::MemoryView(MemorySession *memory, MemorySession::Changes interest, QWidget *parent)
    : QWidget(parent), m_memory(memory), m_interest(interest), m_dirty(interest)
{
    connect(memory, &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (changes & m_interest)
            markDirty(changes & m_interest);
    });
}

void MemoryView::markDirty(MemorySession::Changes changes)
{
    m_dirty |= changes;
    if (m_scheduled || !isVisible())
        return;
    m_scheduled = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_scheduled = false;
            refreshNow();
        },
        Qt::QueuedConnection);
}

void MemoryView::refreshNow()
{
    if (!m_dirty || !isVisible())
        return;
    const MemorySession::Changes changes = m_dirty;
    m_dirty = {};
    refresh(changes);
}

void MemoryView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refreshNow();
}

} // namespace riffle
