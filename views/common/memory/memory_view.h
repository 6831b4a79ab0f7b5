// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/deferred_widget.h"
#include "views/common/memory/memory_session.h"

namespace riffle {

class EmptyNotice;

/// A part of the window that shows memory snapshots: like View, for the changes of a MemorySession.
/// While no snapshot is open, a notice covers it and says why.
class MemoryView : public DeferredWidget<MemorySession::Changes> {
    Q_OBJECT
public:
    MemoryView(MemorySession *memory, MemorySession::Changes interest, QWidget *parent = nullptr);

    MemorySession *memory() const { return m_memory; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    MemorySession *m_memory;
    EmptyNotice *m_empty;
};

} // namespace riffle
