// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::record {

/// A temporary folder (0700, removed at the end) where the processes of a recorded job report their progress: one file
/// per process, named after its id, with lines of KEY=VALUE (state=recording|done, steps=N, error=…).
class Rendezvous {
public:
    Rendezvous();
    ~Rendezvous();
    Rendezvous(const Rendezvous &) = delete;
    Rendezvous &operator=(const Rendezvous &) = delete;

    const std::string &folder() const { return m_folder; } ///< empty if it could not be created

    struct Process {
        int pid = 0;
        bool done = false;
        int64_t steps = 0;
        std::string error; ///< the sentence of the error that ended its recording; empty if there was none
    };
    std::vector<Process> processes() const;
    /// True if at least one process has finished recording and no running process is still recording.
    bool allDone() const;

private:
    std::string m_folder;
};

} // namespace riffle::record
