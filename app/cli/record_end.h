// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/settings.h"

#include <string>
#include <vector>

namespace riffle::cli {

/// Prints a line to stderr, because stdout belongs to the job. Errors are ignored, because the job's exit code counts.
void sayLine(const std::string &text);

/// The files that a job has left behind when it has ended.
struct RecordedFiles {
    std::vector<std::string> logs;   ///< those that are new or have changed, dumps included
    std::vector<std::string> traces; ///< Kineto's complete traces
};

/// Prints one line per log: its size and events, and whether some were lost.
void printLogs(const std::vector<std::string> &logs);

/// Names the first files that the program has got from torch.profiler's interface, and says how many there are more.
void printExported(const std::vector<std::string> &paths);

/// Prints the verdict on a recording, and the command that opens it. The verdict is made by another process that gets
/// ten seconds. If it needs longer, or if there is too much to read in that time, the command to get it is printed
/// instead. Neither has any effect on this process.
void printVerdict(const RecordedFiles &files);

/// Opens the recording in Riffle's window, or says why that is not possible here.
void openRecording(const RecordedFiles &files);

} // namespace riffle::cli
