// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/opening_options.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/source_identity.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// An open snapshot and the remarks to show about it.
struct OpenedSnapshot {
    std::shared_ptr<const SnapshotFacts> facts;
    SourceIdentity identity;
    std::vector<std::string> remarks; ///< sentences; damage to the file comes first
    bool damaged = false;
    bool stored = false; ///< true if it has a store or needs none
    bool fromStore = false;
    std::string storeTrouble; ///< why its store could not be used; empty if there was none for this version of the file
};

/// Opens a snapshot from its store if there is a usable one; otherwise reads the file and replays its history. Runs on
/// a worker thread.
Result<OpenedSnapshot> openSnapshot(const std::string &path, const OpeningOptions &options, Task task);

} // namespace riffle
