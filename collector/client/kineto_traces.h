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

/// Has the processes of a job that train write Kineto's traces into the folder of the logs, and tells when they are
/// there. Asked is who has made a step. For a recording by time also who has run for ten seconds, but no launcher and
/// no helper.
class KinetoTraces {
public:
    using Clock = KinetoDaemon::Clock;

    /// Both must outlive it.
    KinetoTraces(const Settings &settings, const Rendezvous &rendezvous, KinetoDaemon &daemon);

    struct Trace {
        std::string path;
        std::optional<int> rank;
        uint64_t bytes = 0;
        bool whole = false; ///< else its end is missing: the disk was full
    };
    /// To be called a few times a second, and after the job: asks who is to be asked, and gives the traces that have
    /// come.
    std::vector<Trace> update(Clock::time_point now = Clock::now());
    /// Whether there were traces, and no process is known that will write another.
    bool allWritten() const;
    /// What was asked for and did not come: sentences.
    std::vector<std::string> missing() const;

private:
    struct Process {
        KinetoDaemon::Client client;
        bool leftOut = false; ///< by --ranks
        bool stepped = false;
        bool asked = false; ///< and not yet written
        int written = 0;
        std::string request; ///< the path as it is told; it adds its id
        std::string path;    ///< where its trace will be
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
    std::map<int, Process> m_processes; ///< by pid as we number it
    int64_t m_startMs = 0;              ///< Unix time at which recording by time begins
};

} // namespace riffle::record
