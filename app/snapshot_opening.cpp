// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/snapshot_opening.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <utility>

namespace riffle {

Result<OpenedSnapshot> openSnapshot(const std::string &path, const ImportOptions &options, const StoreFolder *stores, Task task)
{
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    if (!identity)
        return identity.error();
    if (stores && identity->size >= kStoreSnapshotsFrom / 16) { // an archive may hold more
        if (const auto stored = openStoredSnapshot(*stores, path, *identity, task))
            return OpenedSnapshot{*stored, *identity, memoryRemarks((*stored)->snapshot(), (*stored)->replay()), false, true};
    }
    auto snapshot = readMemorySnapshot(path, options, task);
    if (!snapshot)
        return snapshot.error();
    if (task.progress)
        task.progress->stage = Progress::Stage::Sealing;
    OpenedSnapshot opened{std::make_shared<const SnapshotFacts>(std::move(*snapshot)), *identity, {}, false, false};
    const MemorySnapshot &read = opened.facts->snapshot();
    opened.damaged = read.damage.has_value();
    opened.stored = opened.damaged || read.pickleBytes < kStoreSnapshotsFrom;
    opened.remarks = memoryRemarks(read, opened.facts->replay());
    return opened;
}

} // namespace riffle
