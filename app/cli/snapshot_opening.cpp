// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/snapshot_opening.h"

#include "app/cli/output.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

namespace riffle::cli {

Result<OpenedFacts> openFacts(const std::string &path)
{
    const StoreFolder stores;
    const auto identity = SourceIdentity::of(path);
    const bool large = identity && identity->size >= kStoreSnapshotsFrom / 16; // an archive may hold more
    if (large)
        if (const auto stored = openStoredSnapshot(stores, path, *identity, {}))
            return OpenedFacts{*stored, {}};
    const auto snapshot = readMemorySnapshot(path, {}, {});
    if (!snapshot)
        return snapshot.error();
    OpenedFacts opened{std::make_shared<const SnapshotFacts>(*snapshot), {}};
    if (large && !(*snapshot)->damage && (*snapshot)->pickleBytes >= kStoreSnapshotsFrom)
        opened.store = [stores, facts = opened.facts, identity = *identity] {
            if (const auto written = storeSnapshot(stores, *facts, identity, {}); !written)
                complain("not stored for the next time: " + written.error().text());
        };
    return opened;
}

} // namespace riffle::cli
