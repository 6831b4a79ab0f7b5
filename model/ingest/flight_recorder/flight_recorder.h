// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/flight/flight_dump.h"
#include "model/trace/run/run_layout.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// True if a file, plain or compressed, starts like a dump. Reads its first bytes alone.
bool isFlightDump(const SniffedFile &file);

/// The rank that the name of a dump tells: "…rank_3" and the like, else the number at its end, which PyTorch appends to
/// whatever name the user chose.
struct RankOfName {
    std::optional<int64_t> rank;
    bool isGuessed = false; ///< only a number at the end of the name
};
RankOfName rankOfDumpName(const std::string &path);
/// Notes the rank that the number at the end of a dump's name tells as a guess.
void peekFlightDump(const SniffedFile &sniffed, RunFile &file);

/// Reads a dump of PyTorch's Flight Recorder: a pickle of protocol 0 to 5 or JSON, plain or in gzip or zstd. Never
/// executes anything in it. A pickle that is cut off gives what could be read, with the reason in `damage`; an Error if
/// nothing could be read, or if the file is no dump.
Result<std::shared_ptr<const FlightDump>> readFlightDump(const std::string &path, const ImportOptions &options,
                                                         Task task);

/// The same for the text itself; `path` is for messages and tells the rank.
Result<std::shared_ptr<const FlightDump>> readFlightDumpText(ByteSource &source, std::string_view head,
                                                             const std::string &path, const Task &task);

} // namespace riffle
