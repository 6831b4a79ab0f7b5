// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory_session.h"

#include <QWidget>

namespace riffle {

/// A part of the window that shows something of memory snapshots: as View, for the changes of a MemorySession.
class MemoryView : public QWidget {
    Q_OBJECT
public:
    MemoryView(MemorySession *memory, MemorySession::Changes interest, QWidget *parent = nullptr);

    MemorySession *memory() const { return m_memory; }
    /// Brings the view up to date now if it is visible, for tests and pictures.
    void refreshNow();

protected:
    /// Fills the widgets. `changes`: everything of interest since the last call; all that is of interest the first time.
    virtual void refresh(MemorySession::Changes changes) = 0;
    /// To ask for a refresh for reasons of one's own.
    void markDirty(MemorySession::Changes changes);
    void showEvent(QShowEvent *event) override;

private:
    MemorySession *m_memory;
    MemorySession::Changes m_interest;
    MemorySession::Changes m_dirty;
    bool m_scheduled = false;
};

} // namespace riffle
