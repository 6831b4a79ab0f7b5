// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/store_folder.h"

#include <memory>
#include <string>

namespace riffle {

/// A snapshot with its replay out of the folder of stores. An Error when there is none that can be trusted; a damaged
/// one, or one of an older version of the file or the program (ErrorKind::Changed), is removed.
Result<std::shared_ptr<const SnapshotFacts>> openStoredSnapshot(const StoreFolder &stores, const std::string &path,
                                                                const SourceIdentity &source, Task task);

/// Keeps a snapshot and its replay for the next time; gives the bytes written. `source`: what the file was when reading
/// began.
Result<uint64_t> storeSnapshot(const StoreFolder &stores, const SnapshotFacts &facts, const SourceIdentity &source,
                               Task task);

/// From how many bytes of pickle on it is worth it: less is read faster than a store is found.
inline constexpr uint64_t kStoreSnapshotsFrom = 32 << 20;

} // namespace riffle
