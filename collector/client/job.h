// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace riffle::record {

/// The exit codes for commands that never ran, as in shells.
inline constexpr int kNotExecutable = 126, kNotFound = 127;
inline constexpr int kLost = 1; ///< the exit code for a command whose status could not be read

/// How a job ended.
struct JobEnd {
    int code = 0;       ///< the command's own exit code, or 128 + the signal that killed it
    bool ended = false; ///< true if we ended it because `isDone` returned true
    std::string error;  ///< a sentence: why it never ran, or why its exit code is unknown
};

/// Runs `command` with `environment` added to ours, and waits for it. Signals that we receive (INT, TERM, HUP, QUIT,
/// USR1, USR2) are passed on to it, except those from the terminal, which it has already received. `isDone` is called a
/// few times per second; once it returns true, the command gets SIGTERM, then SIGKILL after `graceSeconds`, and so do
/// the processes that it leaves behind. The signal `ignored` has no effect on a command that sets no handler for it,
/// nor on the processes that it starts.
JobEnd runJob(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment,
              const std::function<bool()> &isDone = {}, int graceSeconds = 10, int ignored = 0);

} // namespace riffle::record
