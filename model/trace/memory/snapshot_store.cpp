// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/snapshot_store.h"

#include "model/base/mapped_file.h"
#include "model/trace/memory/snapshot_bounds.h"
#include "model/trace/memory/snapshot_description.h"
#include "model/trace/store.h"
#include "model/trace/store_columns.h"

#include <utility>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr uint32_t kVersion = 3;

/// Calls f(column) for every column in the stored order.
template <typename Snapshot, typename F>
void visitColumns(Snapshot &snapshot, F f)
{
    auto &events = snapshot.events;
    f(events.action);
    f(events.address);
    f(events.size);
    f(events.stream);
    f(events.stack);
    f(events.time);
    f(events.pool);
    f(events.metadata);
    f(events.compileContext);
    f(events.category);
    f(events.forwardStack);
    f(snapshot.blocks);
    f(snapshot.frames);
    f(snapshot.stacks.begin);
    f(snapshot.stacks.frames);
    f(snapshot.strings.bytes);
    f(snapshot.strings.begins);
}

uint64_t schemaHash()
{
    std::string schema = "riffle memory snapshot\n";
    MemorySnapshot snapshot;
    visitColumns(snapshot, [&]<typename T>(const Column<T> &) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kStoreAlignment);
        schema += std::to_string(sizeof(T)) + '\n';
    });
    return XXH3_64bits(schema.data(), schema.size());
}

const StoreKind &snapshotKind()
{
    static const StoreKind kKind{
        {'R', 'I', 'F', 'F', 'L', 'E', 'M', 'S'}, kVersion, schemaHash(), "This is not a stored copy of a snapshot."};
    return kKind;
}

} // namespace

Result<StoredSnapshot> openSnapshotStore(const std::string &storePath, const SourceIdentity &source, const Task &task)
{
    const auto opened = StoreFile::open(storePath, snapshotKind(), source);
    if (!opened)
        return opened.error();
    const StoreFile &file = **opened;
    if (const Result<void> verified = file.verify(task); !verified)
        return verified.error();

    StoredSnapshot stored;
    stored.snapshot.stored = file.mapped();
    StoredColumns columns(file);
    visitColumns(stored.snapshot, [&](auto &column) { columns.take(column); });
    Column<char> description;
    columns.take(description);
    while (columns.fit() && !columns.atEnd())
        columns.take(stored.beside.emplace_back());
    if (!columns.fit() || !readSnapshotDescription({description.data(), description.size()}, stored.snapshot))
        return storeDamaged(storePath, "the description is invalid");
    if (!isWithinBounds(stored.snapshot))
        return storeDamaged(storePath, "a row refers to another one that does not exist");
    return stored;
}

Result<uint64_t> writeSnapshotStore(const MemorySnapshot &snapshot, std::span<const std::span<const std::byte>> beside,
                                    const SourceIdentity &source, const std::string &storePath, const Task &task)
{
    if (snapshot.damage)
        return Error{"Only the start of the snapshot could be read, so it is not stored.", storePath, std::nullopt};
    std::vector<StorePlan> plans;
    visitColumns(snapshot, [&](const auto &column) { plans.emplace_back().add(column); });
    const std::string description = describeSnapshot(snapshot);
    plans.emplace_back().add(std::as_bytes(std::span(description)));
    for (const std::span<const std::byte> bytes : beside)
        plans.emplace_back().add(bytes);
    return writeStoreColumns(snapshotKind(), plans, source, storePath, task);
}

} // namespace riffle
