// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/events/event_times.h"
#include "model/analysis/memory/snapshot_alignment.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"
#include "views/common/session/session.h"

#include <QObject>

#include <optional>

namespace riffle {

/// Keeps a memory snapshot and the first of the traces beside it together: one cursor for both, the instant of the
/// snapshot is brought into sight in the timeline, a selected slice sets the instant to the last event before it. Does
/// nothing where their times cannot be compared. Owned by the session.
class MemoryLink : public QObject {
    Q_OBJECT
public:
    explicit MemoryLink(Session *session);

    /// Of the snapshot that is looked at; none while it is not known.
    const std::optional<SnapshotAlignment> &alignment() const { return m_alignment; }
    bool settled() const { return m_jobs.idle(); }

signals:
    /// A snapshot stands beside a trace, and nothing tells how their times belong together.
    void unaligned(const QString &text);

private:
    void align();
    std::vector<MemorySession::Step> steps() const; ///< of the trace, in the snapshot's time
    void onSession(Session::Changes changes);
    void onMemory(MemorySession::Changes changes);
    int64_t unixOf(Ns setTime) const;
    Ns setTimeOf(int64_t unixNs) const;
    void setInstantAt(int64_t unixNs);
    void bringIntoSight(Ns setTime);

    Session *m_session;
    MemorySession *m_memory;
    std::optional<SnapshotAlignment> m_alignment;
    EventTimes m_times;       ///< of the device that is looked at, where there is an alignment
    bool m_following = false; ///< what changes now changes because of the other side
    Jobs m_jobs;              // last: its end waits for work
};

} // namespace riffle
