// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/store_folder.h"

#include <memory>
#include <string>

namespace riffle {

/// Opens a snapshot and its replay from the folder of stores. Returns an Error if there is no store that can be
/// trusted. A damaged store, or one of an older version of the file or the program (ErrorKind::Changed), is removed.
Result<std::shared_ptr<const SnapshotFacts>> openStoredSnapshot(const StoreFolder &stores, const std::string &path,
                                                                const SourceIdentity &source, Task task);

/// Stores a snapshot and its replay for the next time and returns the number of bytes written. `source` is the identity
/// of the file when reading started.
Result<uint64_t> storeSnapshot(const StoreFolder &stores, const SnapshotFacts &facts, const SourceIdentity &source,
                               Task task);

/// The smallest pickle that is worth storing, in bytes. Reading a smaller one is faster than finding its store.
inline constexpr uint64_t kStoreSnapshotsFrom = 32 << 20;

} // namespace riffle
