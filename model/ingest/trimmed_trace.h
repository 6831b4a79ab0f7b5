// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/text_output.h"

namespace riffle {

/// What became of a part that was written.
struct TrimmedTrace {
    uint64_t events = 0; ///< written
    ImportReport report; ///< of reading the part
};

/// Writes the part of a trace that options.range or options.steps says as JSON of Kineto's form: what a reader of that
/// part keeps, each event as it stands in the source (mended where it is damaged) and in the source's order, with all
/// that the file says of itself and with `riffleTrimmed` (TrimmedPart), by which the part is known when the file is
/// opened. A collector's log gets the text that Kineto would have written.
Result<TrimmedTrace> writeTrimmedTrace(const std::string &path, ImportOptions options, const TextSink &sink,
                                       const Task &task);

/// The same into a file, which is there once all is written, compressed as its name says.
Result<TrimmedTrace> trimTrace(const std::string &path, const ImportOptions &options, const std::string &output,
                               const Task &task);

} // namespace riffle
