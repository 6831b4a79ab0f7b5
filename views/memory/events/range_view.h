// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

namespace riffle {

class Session;
class SummaryTable;

/// The memory that was allocated and freed in the chosen range of events and that is alive after it, by where it was
/// allocated; for the whole history while no range is chosen.
class RangeView : public MemoryView {
    Q_OBJECT
public:
    explicit RangeView(Session *session, QWidget *parent = nullptr);

    SummaryTable *table() const { return m_table; }
    bool settled() const { return m_jobs.idle(); }

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    SummaryTable *m_table;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
