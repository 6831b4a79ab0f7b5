// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::record {

/// A temporary folder (0700, removed at the end) where the processes of a recorded job report their progress: one file
/// per process, named after its id, with lines of KEY=VALUE (state=recording|done, steps=N, error=…). The Python part
/// adds a file <id>.exported with the paths of traces that the program has requested from torch.profiler.
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
    /// The files that processes have written for the program, in the order of each process, each once.
    std::vector<std::string> exported() const;

private:
    std::string m_folder;
};

} // namespace riffle::record
