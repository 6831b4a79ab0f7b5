// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/text_output.h"

#include <functional>
#include <string>

namespace riffle {

/// The result of writing a part of a trace.
struct TrimmedTrace {
    uint64_t events = 0; ///< number of events written
    ImportReport report; ///< problems found while the part was read
};

/// Changes the JSON of an event, or of a top-level key with its value in an object, before it is written. The result
/// must be JSON of the same form.
using JsonRewrite = std::function<void(std::string &json)>;

/// Writes the part of a trace given by options.range or options.steps as JSON in Kineto's form. It contains what a
/// reader of that part keeps: each event as in the source (repaired if it is damaged) and in the source's order, all
/// other top-level keys of the file, and `riffleTrimmed` (TrimmedPart), which identifies the part when the file is
/// opened. For a collector's log, it contains the text that Kineto would have written.
/// `rewrite` may be empty.
Result<TrimmedTrace> writeTrimmedTrace(const std::string &path, ImportOptions options, const TextSink &sink,
                                       const Task &task, const JsonRewrite &rewrite = {});

/// Writes the same to a file, compressed according to its name. The file appears once everything is written.
Result<TrimmedTrace> trimTrace(const std::string &path, const ImportOptions &options, const std::string &output,
                               const Task &task, const JsonRewrite &rewrite = {});

} // namespace riffle
