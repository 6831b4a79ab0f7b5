// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/memory_file_opening.h"
#include "app/opening/opening_options.h"
#include "app/opening/snapshot_opening.h"
#include "model/ingest/trace_opening.h"

#include <cstdint>
#include <string>
#include <variant>

namespace riffle {

/// What is known about a file before it is read.
struct FoundFile {
    FileKind kind = FileKind::Trace; ///< Trace for files that cannot be read
    uint64_t bytes = 0;              ///< its size; 0 for folders and files that cannot be read
};
FoundFile findFile(const std::string &path);

using OpenedFile = std::variant<OpenedTrace, OpenedSnapshot, OpenedMemoryFile>;

/// Opens a file of any kind. Runs on a worker thread.
Result<OpenedFile> openFile(const std::string &path, const OpeningOptions &options, const Task &task);

} // namespace riffle
