// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importers.h"
#include "model/trace/source_identity.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace riffle {

/// An open file that is neither a trace nor a snapshot: a memory timeline, a memory log, or a dump of the Flight
/// Recorder.
struct OpenedSideFile {
    std::variant<std::shared_ptr<const MemoryTimeline>, std::shared_ptr<const MemoryLog>,
                 std::shared_ptr<const FlightDump>>
        content;
    std::string path;
    std::optional<SourceIdentity> identity; ///< nothing for folders, which do not have one
    std::string damage;                     ///< why it could not be read to its end; empty if it could
};

/// Reads such a file with its importer. Runs on a worker thread.
Result<OpenedSideFile> openSideFile(const Importer &importer, const std::string &path, const ImportOptions &options,
                                    Task task);

} // namespace riffle
