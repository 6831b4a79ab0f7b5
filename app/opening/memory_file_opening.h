// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/source_identity.h"
#include "views/common/memory/memory_files.h"

#include <optional>
#include <string>

namespace riffle {

/// A timeline or log of memory that is open.
struct OpenedMemoryFile {
    MemoryFiles::File file;
    std::string path;
    std::optional<SourceIdentity> identity; ///< nothing where it has none: folders
    std::string damage;                     ///< why it could not be read to its end; empty: it could
};

/// Whether a file or folder is to be read as one rather than as a trace.
bool isMemoryFile(const std::string &path);
/// Reads it. Runs on a worker.
Result<OpenedMemoryFile> openMemoryFile(const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
