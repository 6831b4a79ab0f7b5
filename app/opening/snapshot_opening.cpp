// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/snapshot_opening.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <filesystem>
#include <optional>
#include <utility>

namespace riffle {

namespace {

constexpr uint64_t kMostPacked = 16; ///< the highest compression ratio to expect of an archive

/// Opens a snapshot from its store. Returns nothing if there is no usable store; `trouble` then says why, if the reason
/// is worth reporting.
std::optional<OpenedSnapshot> fromStore(const StoreFolder &stores, const std::string &path,
                                        const SourceIdentity &identity, const Task &task, std::string &trouble)
{
    std::error_code failed;
    const bool isThere = std::filesystem::exists(stores.storePath(path), failed);
    const auto stored = openStoredSnapshot(stores, path, identity, task);
    if (stored)
        return OpenedSnapshot{*stored, identity, memoryRemarks((*stored)->snapshot(), (*stored)->replay()), false, true,
                              true,    {}};
    if (isThere && stored.error().kind == ErrorKind::Unreadable) // a store of an older version of the file is normal
        trouble = stored.error().message;
    return std::nullopt;
}

} // namespace

Result<OpenedSnapshot> openSnapshot(const std::string &path, const OpeningOptions &options, Task task)
{
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    if (!identity)
        return identity.error();
    std::string trouble;
    if (options.stores && identity->size >= options.storeSnapshotsFrom / kMostPacked)
        if (auto stored = fromStore(*options.stores, path, *identity, task, trouble))
            return std::move(*stored);
    auto snapshot = readMemorySnapshot(path, options.import, task);
    if (!snapshot)
        return snapshot.error();
    if (task.progress)
        task.progress->stage = Progress::Stage::Sealing;
    OpenedSnapshot opened{
        std::make_shared<const SnapshotFacts>(std::move(*snapshot)), *identity, {}, false, false, false, trouble};
    const MemorySnapshot &read = opened.facts->snapshot();
    opened.damaged = read.damage.has_value();
    opened.stored = opened.damaged || read.pickleBytes < options.storeSnapshotsFrom;
    opened.remarks = memoryRemarks(read, opened.facts->replay());
    return opened;
}

} // namespace riffle
