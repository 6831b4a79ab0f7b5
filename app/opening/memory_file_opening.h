// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importers.h"
#include "model/trace/source_identity.h"
#include "views/common/memory/memory_files.h"

#include <optional>
#include <string>

namespace riffle {

/// An open memory timeline or memory log.
struct OpenedMemoryFile {
    MemoryFiles::File file;
    std::string path;
    std::optional<SourceIdentity> identity; ///< nothing for folders, which do not have one
    std::string damage;                     ///< why it could not be read to its end; empty if it could
};

/// Reads a memory timeline or memory log with its importer. Runs on a worker thread.
Result<OpenedMemoryFile> openMemoryFile(const Importer &importer, const std::string &path, const ImportOptions &options,
                                        Task task);

} // namespace riffle
