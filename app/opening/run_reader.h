// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/trace_opening.h"
#include "model/trace/run/rank_facts.h"
#include "model/trace/trace_set.h"
#include "views/common/session/jobs.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

class SetFacts;

/// Finds the small facts about the ranks of a run, off the GUI thread: those that are stored, of all ranks at once, and
/// those that are not, which are made from traces, one after another.
class RunReader : public QObject {
    Q_OBJECT
public:
    /// A member whose facts are wanted.
    struct Wanted {
        TraceId id;
        std::string path; ///< its file
    };
    struct Known {
        TraceId id;
        std::shared_ptr<const RankFacts> facts; ///< null if they could not be made
    };
    /// The things from which the facts about one member are made.
    struct Source {
        TraceId id;
        std::string path;
        std::shared_ptr<const Trace> trace;     ///< null if it has to be opened first, and is let go afterwards
        std::shared_ptr<const SetFacts> facts;  ///< with the facts about the trace, to share them; null for none
        std::optional<SourceIdentity> identity; ///< of the file, if the facts are to be stored
        std::optional<StoreFolder> stores;      ///< nothing if they are neither read nor stored
        ImportOptions import;                   ///< for a trace that has to be opened
    };

    explicit RunReader(QObject *parent = nullptr);

    /// Reads the facts about these members that are stored and fit their files; found() tells them at once.
    void readStored(std::vector<Wanted> wanted, const StoreFolder &stores);
    /// Makes the facts about a member, and stores them for the next time; made() tells them. Nothing else may be made
    /// meanwhile.
    void make(Source source);
    bool makes() const { return m_jobs.running(kMake); }
    bool readsStored() const { return m_jobs.running(kStored); }
    bool idle() const { return m_jobs.idle(); }
    /// Stop; nothing is told any more.
    void stopReading() { m_jobs.cancel(kStored); }
    void stopMaking() { m_jobs.cancel(kMake); }

signals:
    void found(const std::vector<riffle::RunReader::Known> &known);
    void made(const riffle::RunReader::Known &known);

private:
    const QString kStored = QStringLiteral("stored"), kMake = QStringLiteral("make");
    Jobs m_jobs; // last member: its destructor waits for running work
};

} // namespace riffle
