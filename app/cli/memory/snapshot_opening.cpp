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
                    "For large snapshots: size limit of the cache of opened files; the least recently used are removed "
                    "first")
        ->capture_default_str();
    command.add_flag("--no-store", none, "For large snapshots: neither use nor write the cache of opened files");
}

int OpenedFacts::finish(int code) const
{
    flushOutput();
    if (store)
        store();
    const std::optional<Error> failure = facts ? facts->snapshot().failure() : std::nullopt;
    if (!failure)
        return code;
    complain("The answer is incomplete. " + failure->text());
    return Unreadable;
}

Result<OpenedFacts> openFacts(const std::string &path, const StoreUse &use)
{
    const auto room = parseBytes(use.limit);
    if (!room)
        return Error{"A size must be a whole number, optionally followed by K, M, G or T.",
                     {},
                     std::nullopt,
                     ErrorKind::Question};
    const StoreFolder stores(StoreFolder::defaultFolder(), *room);
    const auto identity = use.none ? Result<SourceIdentity>(Error{}) : SourceIdentity::of(path);
    const bool large = identity && identity->size >= kStoreSnapshotsFrom / 16; // the file may be compressed
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
                    complain("The snapshot could not be cached for next time: " + written.error().text());
            } catch (const std::bad_alloc &) {
                complain("The snapshot could not be cached for next time: there is not enough memory.");
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
        complain("Only the start of the file could be read. " + damage->text());
        code = std::max<int>(code, WithLosses);
    }
    return std::move(*opened);
}

} // namespace riffle::cli
