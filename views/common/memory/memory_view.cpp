// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory/memory_view.h"

namespace riffle {

MemoryView::MemoryView(MemorySession *memory, MemorySession::Changes interest, QWidget *parent)
    : DeferredWidget(interest, parent)
    , m_memory(memory)
{
    connect(memory, &MemorySession::changed, this, [this, interest](MemorySession::Changes changes) {
        if (changes & interest)
            markDirty(changes & interest);
    });
}

} // namespace riffle
