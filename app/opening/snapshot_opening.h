// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/trace_opening.h"
#include "model/analysis/memory/snapshot_facts.h"
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
    bool stored = false; ///< it has a store, or none is wanted
    bool fromStore = false;
    std::string storeTrouble; ///< why its store was of no use, where there was one of this very file
};

/// Takes a snapshot out of its store where there is one that can be trusted, else reads it and follows its history.
/// Runs on a worker.
Result<OpenedSnapshot> openSnapshot(const std::string &path, const OpeningOptions &options, Task task);

} // namespace riffle
