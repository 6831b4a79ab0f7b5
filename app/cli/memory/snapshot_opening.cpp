// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/snapshot_opening.h"

#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/output.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <algorithm>
#include <new>

namespace riffle::cli {

void StoreUse::addTo(CLI::App &command)
{
    command
        .add_option("--store-limit", limit,
                    "Of large snapshots: room for the store of opened files; the least used go first")
        ->capture_default_str();
    command.add_flag("--no-store", none, "Of large snapshots: neither use nor write the store of opened files");
}

void OpenedFacts::finish() const
{
    if (!store)
        return;
    flushOutput();
    store();
}

Result<OpenedFacts> openFacts(const std::string &path, const StoreUse &use)
{
    const auto room = parseBytes(use.limit);
    if (!room)
        return Error{"a size is a whole number with K, M, G or T", {}, std::nullopt, ErrorKind::Question};
    const StoreFolder stores(StoreFolder::defaultFolder(), *room);
    const auto identity = use.none ? Result<SourceIdentity>(Error{}) : SourceIdentity::of(path);
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
            try {
                if (const auto written = storeSnapshot(stores, *facts, identity, {}); !written)
                    complain("not stored for the next time: " + written.error().text());
            } catch (const std::bad_alloc &) {
                complain("not stored for the next time: there is not enough memory");
            }
        };
    return opened;
}

OpenedFacts openSnapshot(const std::string &path, const StoreUse &use, int &code)
{
    auto opened = openFacts(path, use);
    if (!opened) {
        complain(opened.error().text());
        code = std::max(code, codeOf(opened.error()));
        return {};
    }
    if (const auto &damage = opened->facts->snapshot().damage) {
        complain(path + ": only the beginning could be read: " + damage->text());
        code = std::max<int>(code, WithLosses);
    }
    return std::move(*opened);
}

} // namespace riffle::cli
