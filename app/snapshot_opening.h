// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/ingest/importer.h"
#include "model/trace/source_identity.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// A snapshot that is open, with what has to be said about it.
struct OpenedSnapshot {
    std::shared_ptr<const SnapshotFacts> facts;
    SourceIdentity identity;
    std::vector<std::string> remarks; ///< sentences; where the file is damaged, that comes first
    bool damaged = false;
};

/// Reads a snapshot and follows its history. Runs on a worker.
Result<OpenedSnapshot> openSnapshot(const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
