// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace riffle::record {

/// Exit codes of what never ran, as shells have them.
inline constexpr int kNotExecutable = 126, kNotFound = 127;
inline constexpr int kLost = 1; ///< the code of a command that somebody else has waited for

/// How a job ended.
struct JobEnd {
    int code = 0;       ///< the command's own, or 128 + the signal that killed it
    bool ended = false; ///< by us, because `isDone` said so
    std::string error;  ///< why it never ran, or why its code is not known
};

/// Runs `command` with `environment` added to ours, and waits for it. Signals that we get (INT, TERM, HUP, QUIT, USR1,
/// USR2) go to it, but those of the terminal, which it has got already. When `isDone`, asked a few times a second, says
/// yes, the command is ended: asked to by SIGTERM, made to after `graceSeconds`; then so is what it leaves behind. The
/// signal `ignored` does nothing to a command that sets no handler for it, nor to what it starts.
JobEnd runJob(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment,
              const std::function<bool()> &isDone = {}, int graceSeconds = 10, int ignored = 0);

} // namespace riffle::record
