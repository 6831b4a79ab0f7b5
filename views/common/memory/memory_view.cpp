// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory/memory_view.h"

#include "views/common/session/empty_notice.h"

namespace riffle {

MemoryView::MemoryView(MemorySession *memory, MemorySession::Changes interest, QWidget *parent)
    : DeferredWidget(interest, parent)
    , m_memory(memory)
    , m_empty(new EmptyNotice(this))
{
    m_empty->coverParent();
    connect(m_empty, &EmptyNotice::helpWanted, memory, &MemorySession::openRequested);
    connect(memory, &MemorySession::changed, this, [this, interest](MemorySession::Changes changes) {
        if (changes & (MemorySession::Snapshots | MemorySession::Load))
            m_empty->say(m_memory->emptyState());
        if (changes & interest)
            markDirty(changes & interest);
    });
}

void MemoryView::showEvent(QShowEvent *event)
{
    m_empty->say(m_memory->emptyState()); // above the widgets that the view has made
    DeferredWidget::showEvent(event);
}

} // namespace riffle
