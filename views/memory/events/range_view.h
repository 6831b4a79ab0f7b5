// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

namespace riffle {

class Chip;
class Session;
class SummaryTable;

/// For each place of allocation, the memory that was allocated in the chosen range of events, that was freed in it, and
/// that is alive after it. While no range is chosen, the whole history counts.
class RangeView : public MemoryView {
    Q_OBJECT
public:
    explicit RangeView(Session *session, QWidget *parent = nullptr);

    SummaryTable *table() const { return m_table; }
    Chip *badge() const { return m_badge; } ///< shown while a range is chosen; a click shows the whole history
    bool settled() const { return m_jobs.idle(); }

signals:
    /// The user wants to save what is shown.
    void exportRequested(const QString &suggestedName, const QString &text);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    SummaryTable *m_table;
    Chip *m_badge;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
