// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/flight/flight_dump.h"

#include <cstdint>
#include <string>

namespace riffle::cli {

/// Prints what a dump of the Flight Recorder or a log of NCCL Inspector contains, as "info" does, and returns the exit
/// code.
int flightDumpInfo(const std::string &path, bool json, const ImportOptions &options);
int inspectorLogInfo(const std::string &path, bool json, const ImportOptions &options);

/// "step (train.py:11)": one frame of a stack.
std::string frameText(const FlightDump &dump, uint32_t frame);
/// The frames of an entry that help: those of the user's code; all of them if there are none. At most `most`.
std::vector<std::string> framesToShow(const FlightDump &dump, uint32_t entry, size_t most);
/// The stack of an entry as JSON: [{"name": …, "file": …, "line": …}].
std::string jsonStack(const FlightDump &dump, uint32_t entry);

} // namespace riffle::cli
