// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/store_folder.h"

#include <memory>
#include <string>

namespace riffle {

/// Opens a snapshot and its replay from the folder of stores. Returns an Error if there is no store that can be
/// trusted. Removes a store that is damaged, or that is of another version of the file or the program
/// (ErrorKind::Changed).
Result<std::shared_ptr<const SnapshotFacts>> openStoredSnapshot(const StoreFolder &stores, const std::string &path,
                                                                const SourceIdentity &source, Task task);

/// Stores a snapshot and its replay, so that they open faster next time. Returns the number of bytes written. `source`
/// is the identity that the file had when reading started.
Result<uint64_t> storeSnapshot(const StoreFolder &stores, const SnapshotFacts &facts, const SourceIdentity &source,
                               Task task);

/// The smallest pickle that is worth storing, in bytes. Reading a smaller one is faster than finding its store.
inline constexpr uint64_t kStoreSnapshotsFrom = 32 << 20;

} // namespace riffle
