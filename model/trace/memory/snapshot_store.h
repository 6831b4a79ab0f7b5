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

/// A snapshot from its store: its columns point into the mapping and keep it alive.
struct StoredSnapshot {
    MemorySnapshot snapshot;          ///< without path, which the caller adds before sharing the snapshot
    std::vector<Column<char>> beside; ///< the byte strings that were stored with it: `beside` of writeSnapshotStore()
};

/// Maps the store of a snapshot and compares all of it with its hashes, because its row numbers are trusted afterwards.
/// Uses all workers. Returns an Error if the file is damaged, is not such a store, or was built from a source other
/// than `source`.
Result<StoredSnapshot> openSnapshotStore(const std::string &storePath, const SourceIdentity &source, const Task &task);

/// Writes a snapshot and the byte strings in `beside` as a store, under a temporary name first. The file has the layout
/// of a trace's store (store_format.h): header, columns at multiples of 64 bytes, table of contents with the XXH3 of
/// each MiB. Returns its size. Refuses a damaged snapshot.
Result<uint64_t> writeSnapshotStore(const MemorySnapshot &snapshot, std::span<const std::span<const std::byte>> beside,
                                    const SourceIdentity &source, const std::string &storePath, const Task &task);

} // namespace riffle
