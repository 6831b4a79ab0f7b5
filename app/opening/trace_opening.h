// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_folder.h"

#include <memory>
#include <optional>
#include <string>

namespace riffle {

/// How to open files: the import options, and the folder of stores if stores are used.
struct OpeningOptions {
    ImportOptions import;
    std::optional<StoreFolder> stores;
    uint64_t storeSnapshotsFrom = 0; ///< snapshots with fewer pickle bytes get no store
    bool whole() const { return !import.range && !import.steps; }
};

struct OpenedTrace {
    std::shared_ptr<const Trace> trace;
    SourceIdentity identity;
    std::shared_ptr<const StoreFile> store; ///< null if the trace was not opened from its store
};

/// Opens a trace from its store if there is a valid one; otherwise reads the file. Runs on a worker thread.
Result<OpenedTrace> openTrace(const std::string &path, const OpeningOptions &options, Task task);

/// Stores an imported trace and opens the store. Returns the same trace, mapped from the store instead of held
/// in memory.
Result<OpenedTrace> exchangeForStored(const OpenedTrace &opened, const StoreFolder &stores, Task task);

} // namespace riffle
