// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/stored_snapshot.h"

#include "model/base/byte_stream.h"
#include "model/base/ids.h"
#include "model/base/parallel.h"
#include "model/trace/memory/snapshot_store.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

namespace riffle {

namespace {

constexpr uint32_t kVersion = 2; ///< the version of the stored replay
constexpr size_t kArrays = 6;    ///< the number of arrays per device

/// Calls f(value) for all scalar numbers of a device, in a fixed order.
template <typename Device, typename F>
void visitNumbers(Device &device, F f)
{
    f(device.device);
    f(device.host);
    f(device.firstEvent);
    f(device.events);
    for (auto *level : {&device.atBegin, &device.atEnd, &device.peak, &device.blocks}) {
        f(level->allocated);
        f(level->active);
        f(level->reserved);
    }
    f(device.peakAllocatedEvent);
    f(device.peakActiveEvent);
    f(device.peakReservedEvent);
    f(device.freedFromBefore);
    f(device.aliveFromBefore);
    for (auto *trouble : {&device.doubleAllocations, &device.vanished, &device.unknownFrees, &device.impossibleSizes,
                          &device.otherSizes}) {
        f(trouble->count);
        f(trouble->firstEvent);
    }
    f(device.overlappingBlocks);
}

/// Calls f(vector) for all arrays of a device, in a fixed order.
template <typename Device, typename F>
void visitArrays(Device &device, F f)
{
    f(device.allocations.begin);
    f(device.allocations.freed);
    f(device.allocations.end);
    f(device.allocations.block);
    f(device.checkpoints);
    f(device.corrections);
}

/// True if the device's arrays have the lengths that the history needs, and all rows in them exist.
bool isWithinBounds(const DeviceReplay &device, const MemorySnapshot &snapshot)
{
    const MemoryAllocations &all = device.allocations;
    const uint64_t begin = device.firstEvent, end = begin + device.events;
    const auto isEvent = [&](uint32_t event) { return event == kNoRow || (event >= begin && event < end); };
    if (end > snapshot.events.count() || all.freed.size() != all.begin.size() || all.end.size() != all.begin.size() ||
        all.block.size() != all.begin.size() || !isEvent(device.peakAllocatedEvent) ||
        !isEvent(device.peakActiveEvent) || !isEvent(device.peakReservedEvent) ||
        device.checkpoints.size() != (device.events + uint64_t(DeviceReplay::kStride) - 1) / DeviceReplay::kStride)
        return false;
    for (uint32_t row = 0; row < all.count(); ++row) {
        const bool hasBlock = all.block[row] != kNoRow;
        const bool hasEvent = all.begin[row] != kNoRow || all.freed[row] != kNoRow || all.end[row] != kNoRow;
        if (!isEvent(all.begin[row]) || !isEvent(all.freed[row]) || !isEvent(all.end[row]) || !(hasBlock || hasEvent) ||
            (hasBlock && all.block[row] >= snapshot.blocks.size()))
            return false;
    }
    return true;
}

/// Reads the replay. Returns false if the data stored beside the snapshot is not a replay of it.
bool readReplay(const StoredSnapshot &stored, MemoryReplay &replay)
{
    if (stored.beside.empty())
        return false;
    ByteReader numbers({stored.beside[0].data(), stored.beside[0].size()});
    if (numbers.get<uint32_t>() != kVersion)
        return false;
    replay.devices.resize(static_cast<size_t>(numbers.getCount(64)));
    if (stored.beside.size() != 1 + kArrays * replay.devices.size())
        return false;
    std::vector<std::function<void()>>
        copies; // run by all workers, because touching fresh memory costs more than the copy itself
    size_t next = 1;
    bool good = true;
    for (DeviceReplay &device : replay.devices) {
        visitNumbers(device, [&]<typename T>(T &value) { value = numbers.get<T>(); });
        visitArrays(device, [&]<typename T, typename Allocator>(std::vector<T, Allocator> &array) {
            const Column<char> &bytes = stored.beside[next++];
            good = good && bytes.size() % sizeof(T) == 0;
            copies.push_back([&array, &bytes] {
                const auto *from = reinterpret_cast<const T *>(bytes.data()); // columns are aligned
                array.assign(from, from + bytes.size() / sizeof(T));
            });
        });
    }
    if (!good || !numbers.ok() || !numbers.left().empty())
        return false;
    parallelFor(copies.size(), [&](size_t at) { copies[at](); });
    return std::all_of(replay.devices.begin(), replay.devices.end(),
                       [&](const DeviceReplay &device) { return isWithinBounds(device, stored.snapshot); });
}

} // namespace

Result<std::shared_ptr<const SnapshotFacts>> openStoredSnapshot(const StoreFolder &stores, const std::string &path,
                                                                const SourceIdentity &source, Task task)
{
    const auto began = std::chrono::steady_clock::now();
    Result<StoredSnapshot> stored = openSnapshotStore(stores.storePath(path), source, task);
    MemoryReplay replay;
    if (!stored || !readReplay(*stored, replay)) {
        if (!task.stopped())
            stores.remove(path);
        return stored ? Error{"The stored copy was written by another version of Riffle.", path, std::nullopt,
                              ErrorKind::Changed}
                      : stored.error();
    }
    stores.markUsed(path);
    MemorySnapshot &snapshot = stored->snapshot;
    snapshot.path = path;
    snapshot.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(std::move(snapshot)),
                                                 std::move(replay));
}

Result<uint64_t> storeSnapshot(const StoreFolder &stores, const SnapshotFacts &facts, const SourceIdentity &source,
                               Task task)
{
    ByteWriter numbers;
    numbers.put(kVersion);
    numbers.put<uint64_t>(facts.replay().devices.size());
    std::vector<std::span<const std::byte>> beside(1);
    for (const DeviceReplay &device : facts.replay().devices) {
        visitNumbers(device, [&](const auto &value) { numbers.put(value); });
        visitArrays(device, [&](const auto &array) { beside.push_back(std::as_bytes(std::span(array))); });
    }
    beside[0] = std::as_bytes(std::span(numbers.bytes()));
    return stores.place(facts.snapshot().path, source, [&](const std::string &storePath) {
        return writeSnapshotStore(facts.snapshot(), beside, source, storePath, task);
    });
}

} // namespace riffle
