// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/opening_options.h"
#include "app/opening/side_file_opening.h"
#include "app/opening/snapshot_opening.h"
#include "model/ingest/gathering/gathered_files.h"
#include "model/ingest/importers.h"
#include "model/ingest/trace_opening.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace riffle {

/// A file as it is known before it is read.
struct FoundFile {
    const Importer *importer = nullptr; ///< a row of the table of formats; a reader of traces if it cannot be read
    uint64_t bytes = 0;                 ///< its size; 0 for folders and files that cannot be read
    bool isStored = false;              ///< it has a store, perhaps of an older version
    bool isTrace() const { return importer->kind == FileKind::Trace; }
};
/// Looks at the head of a file, so it runs on a worker thread.
FoundFile findFile(const std::string &path, const OpeningOptions &options);

/// A file that was found, but has no page in the window.
struct FileWithoutPage {
    std::string name; ///< as the user would write it
    FileKind kind = FileKind::Trace;
};
/// Moves files that have no page in the window to the skipped ones, if others have one, and returns them. `found` has
/// one entry per path.
std::vector<FileWithoutPage> leaveOutWithoutPage(GatheredFiles &gathered, std::vector<FoundFile> &found);

using OpenedFile = std::variant<OpenedTrace, OpenedSnapshot, OpenedSideFile>;

/// Opens a file with its importer; a trace if it was found to be one, whatever became of it since. Runs on a worker
/// thread.
Result<OpenedFile> openFile(const Importer &importer, const std::string &path, const OpeningOptions &options,
                            const Task &task);
/// Opens a trace as the window does. Runs on a worker thread.
Result<OpenedTrace> openTraceFile(const std::string &path, const OpeningOptions &options, const Task &task);

} // namespace riffle
