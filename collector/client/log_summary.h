// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace riffle::record {

/// What a log holds, from its chunks' headers and what it says of losses; nothing else is decoded.
struct LogSummary {
    std::string path;
    uint64_t bytes = 0;
    uint64_t files = 0;
    uint64_t events = 0;  ///< ranges, marks, counters, kernels, copies, calls, …
    uint64_t dropped = 0; ///< that the collector lost, by its own count
    bool closed = false;  ///< in good order; else the process was killed or still runs
    bool damaged = false; ///< a file ends within a chunk, or is none of a log
};

LogSummary summarize(const std::string &path);

/// Logs in a folder, with the time of their newest file: what was there before is told from what came by it.
std::map<std::string, int64_t> logsIn(const std::string &folder);
/// Logs that `after` has and `before` has not, or not as they are now.
std::vector<std::string> newLogs(const std::map<std::string, int64_t> &before,
                                 const std::map<std::string, int64_t> &after);

} // namespace riffle::record
