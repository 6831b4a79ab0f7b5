// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/column.h"
#include "model/trace/memory/memory_snapshot.h"
#include "model/trace/source_identity.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// A snapshot out of its store: columns point into the mapping and keep it alive.
struct StoredSnapshot {
    std::shared_ptr<MemorySnapshot> snapshot; ///< without path, which the caller adds
    std::vector<Column<char>> beside;         ///< what was stored beside it, as it was given
};

/// Maps the store of a snapshot. All of it is compared with its hashes, on all workers, for row numbers in it are
/// trusted. An Error when it is damaged, foreign, or made of another file than `source` says.
Result<StoredSnapshot> openSnapshotStore(const std::string &storePath, const SourceIdentity &source, Task task);

/// Writes a snapshot as a store, and bytes that others want to have with it, under a temporary name first. The file is
/// made like that of a trace (store_format.h): header, columns at multiples of 64 bytes, table of contents with the
/// XXH3 of each MiB. Gives its size. A damaged snapshot is refused.
Result<uint64_t> writeSnapshotStore(const MemorySnapshot &snapshot, std::span<const std::span<const std::byte>> beside,
                                    const SourceIdentity &source, const std::string &storePath, Task task);

} // namespace riffle
