// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::record {

/// A folder of our own (0700, gone at the end) where the processes of a recorded job tell how far they are: one file
/// per process, named by its id, with lines of KEY=VALUE (state=recording|done, steps=N, note=…).
class Rendezvous {
public:
    Rendezvous();
    ~Rendezvous();
    Rendezvous(const Rendezvous &) = delete;
    Rendezvous &operator=(const Rendezvous &) = delete;

    const std::string &folder() const { return m_folder; } ///< empty: it could not be made

    struct Process {
        int pid = 0;
        bool done = false;
        int64_t steps = 0;
    };
    std::vector<Process> processes() const;
    /// Whether there was something to record and all who still run have recorded it.
    bool allDone() const;

private:
    std::string m_folder;
};

} // namespace riffle::record
