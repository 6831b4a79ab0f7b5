// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "views/common/session/jobs.h"
#include "views/common/session/session.h"

#include <QElapsedTimer>
#include <QObject>

#include <map>
#include <memory>

namespace riffle {

/// Follows members that are still being written: reads what is new in the background, at most ten times a second, and
/// gives the session the next generations. A member is followed until its source ends or fails, or until the member is
/// closed, unloaded or read again. Owned by the OpenController.
class TraceFollower : public QObject {
    Q_OBJECT
public:
    explicit TraceFollower(Session *session, QObject *parent = nullptr);
    ~TraceFollower() override;

    /// Follows a loaded member from its present generation on, which `source` has given.
    void follow(TraceId id, std::shared_ptr<GrowingSource> source);
    bool follows(TraceId id) const { return m_followed.contains(id); }

signals:
    /// The member is not followed any more, and has to be read again: its ids have run out, or its source was replaced.
    void outgrown(riffle::TraceId id);
    /// The member is not followed any more, because of an error; what was read stays.
    void failed(riffle::TraceId id, const riffle::Error &error);
    void ended(riffle::TraceId id); ///< the writer has ended the source, and all of it was read

private:
    struct Followed {
        std::shared_ptr<GrowingSource> source;
        uint32_t reading = 0;   ///< LoadedTrace::reading
        QElapsedTimer sinceNew; ///< since the last generation
    };
    void look(TraceId id);
    void take(TraceId id, const Result<std::shared_ptr<const Trace>> &next, qint64 tookMs);
    void stop(TraceId id);
    void stopOthers();

    Session *m_session;
    std::map<TraceId, Followed> m_followed;
    Jobs m_jobs; // last member: its destructor waits for running work
};

} // namespace riffle
