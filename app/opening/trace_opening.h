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

/// How files are opened: the import's options and the folder of stores, when one is to be used.
struct OpeningOptions {
    ImportOptions import;
    std::optional<StoreFolder> stores;
    uint64_t storeSnapshotsFrom = 0; ///< bytes of pickle: smaller ones have no store
    bool whole() const { return !import.range && !import.steps; }
};

struct OpenedTrace {
    std::shared_ptr<const Trace> trace;
    SourceIdentity identity;
    std::shared_ptr<const StoreFile> store; ///< when it was opened from there
};

/// Opens a trace from its store when there is a good one, else by reading the file. Runs on a worker.
Result<OpenedTrace> openTrace(const std::string &path, const OpeningOptions &options, Task task);

/// Stores an imported trace and opens the store: the same trace, but mapped instead of in memory.
Result<OpenedTrace> exchangeForStored(const OpenedTrace &opened, const StoreFolder &stores, Task task);

} // namespace riffle
