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

/// The trace that a snapshot belongs to: the one that was chosen, otherwise the one with the rank that the name of the
/// snapshot's file tells, otherwise the first one. It may not be loaded. Invalid if no trace is open.
TraceId traceOfSnapshot(const Session &session, size_t snapshot);

/// Links the current memory snapshot with the trace that it belongs to. They share one cursor, the timeline moves to
/// the snapshot's instant, and selecting a slice sets the instant to the last event at or before its start. Does
/// nothing if their times cannot be compared. Owned by the session.
class MemoryLink : public QObject {
    Q_OBJECT
public:
    explicit MemoryLink(Session *session);

    /// The alignment of the current snapshot; none while it is unknown.
    const std::optional<SnapshotAlignment> &alignment() const { return m_alignment; }
    bool settled() const { return m_jobs.idle(); }

signals:
    /// A snapshot is open beside a trace, and their times cannot be matched.
    void unaligned(const QString &text);

private:
    void align();
    const LoadedTrace &linked() const;              ///< the trace that m_alignment is about
    std::vector<MemorySession::Step> steps() const; ///< the trace's steps in the snapshot's time
    void onSession(Session::Changes changes);
    void onPane(Pane::Changes changes);
    void onMemory(MemorySession::Changes changes);
    int64_t unixOf(Ns setTime) const;
    Ns setTimeOf(int64_t unixNs) const;
    void setInstantAt(int64_t unixNs);
    void bringIntoSight(Ns setTime);

    Session *m_session;
    MemorySession *m_memory;
    std::optional<SnapshotAlignment> m_alignment;
    TraceId m_trace;          ///< the trace that the current snapshot belongs to, if it is loaded
    EventTimes m_times;       ///< of the current device; empty without an alignment
    bool m_following = false; ///< a change of one side is being applied to the other
    Jobs m_jobs;              // last: its destructor waits for jobs
};

} // namespace riffle
