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

/// The stack of an entry as JSON: [{"name": …, "file": …, "line": …}].
std::string jsonStack(const FlightDump &dump, uint32_t entry);

} // namespace riffle::cli
