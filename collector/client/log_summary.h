// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace riffle::record {

/// A summary of a log, from its chunk headers and Loss chunks; nothing else is decoded.
struct LogSummary {
    std::string path;
    uint64_t bytes = 0;
    uint64_t files = 0;
    uint64_t events = 0;  ///< ranges, marks, counters, kernels, copies, calls, …
    uint64_t dropped = 0; ///< events that the collector lost, by its own count
    bool closed = false;  ///< closed properly; otherwise the process was killed or is still running
    bool damaged = false; ///< a file ends inside a chunk, or does not belong to a log
};

LogSummary summarize(const std::string &path);

/// The logs in a folder, with the time of their newest file, by which newLogs() recognizes changes.
std::map<std::string, int64_t> logsIn(const std::string &folder);
/// The logs that are in `after` but not in `before`, or have changed since.
std::vector<std::string> newLogs(const std::map<std::string, int64_t> &before,
                                 const std::map<std::string, int64_t> &after);

} // namespace riffle::record
