// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/kineto_daemon.h"
#include "collector/client/rendezvous.h"
#include "collector/client/settings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace riffle::record {

/// Requests Kineto's traces from the training processes of a job, which write them into the folder of the logs, and
/// reports when the traces have been written. A process is asked after it has made a step; for a recording by time,
/// also after it has run for ten seconds, unless it is a launcher or a helper.
class KinetoTraces {
public:
    using Clock = KinetoDaemon::Clock;

    /// All three arguments must outlive this object.
    KinetoTraces(const Settings &settings, const Rendezvous &rendezvous, KinetoDaemon &daemon);

    struct Trace {
        std::string path;
        std::optional<int> rank;
        uint64_t bytes = 0;
        bool whole = false; ///< false if its end is missing because the disk was full
    };
    /// Sends the requests that are due and returns the traces that have been written since the last call. It must be
    /// called a few times per second, and once after the job.
    std::vector<Trace> update(Clock::time_point now = Clock::now());
    /// True if there were traces and no known process will write another one.
    bool allWritten() const;
    /// Sentences about the traces that were requested but not written.
    std::vector<std::string> missing() const;

private:
    struct Process {
        KinetoDaemon::Client client;
        bool leftOut = false; ///< excluded by --ranks
        bool stepped = false;
        bool asked = false; ///< a trace was requested and is not written yet
        int written = 0;
        std::string request; ///< the path in the request; Kineto adds the process id
        std::string path;    ///< the path of the trace that Kineto will write
    };

    void refresh();
    bool isDue(const Process &process, Clock::time_point now) const;
    bool isDone(const Process &process) const;
    bool stepsAside(const Process &process) const;
    void ask(Process &process);
    void choosePath(Process &process) const;

    const Settings &m_settings;
    const Rendezvous &m_rendezvous;
    KinetoDaemon &m_daemon;
    std::map<int, Process> m_processes; ///< by pid in our pid namespace
    int64_t m_startMs = 0;              ///< Unix time at which recording by time starts
};

} // namespace riffle::record
