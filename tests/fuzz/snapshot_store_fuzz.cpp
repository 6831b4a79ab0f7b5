// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "model/trace/memory/snapshot_description.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/snapshot_checks.h"
#include "tests/fuzz/store_mending.h"
#include "tests/support/archives.h"
#include "tests/support/snapshot_generator.h"

using namespace riffle;

namespace {

/// A snapshot in a folder, and the bytes of its stored copy.
struct Original {
    test::TemporaryFolder folder;
    std::string path = folder.file("snapshot.pickle");
    StoreFolder stores{folder.file("stores")};
    SourceIdentity identity;
    std::string stored;

    Original()
    {
        std::string pickle;
        test::SnapshotOptions options;
        options.entries = 300;
        options.stacks = 20;
        options.annotated = true;
        test::generateSnapshot(options, [&](std::string_view bytes) { pickle += bytes; });
        test::writeFile(path, pickle);
        identity = *SourceIdentity::of(path);
        const SnapshotFacts facts(*readMemorySnapshot(path, {}, {}));
        if (!storeSnapshot(stores, facts, identity, {}))
            test::fail("the snapshot cannot be stored");
        stored = test::readFile(stores.storePath(path));
    }
};

void use(const SnapshotFacts &facts)
{
    memoryDevices(facts.snapshot(), facts.replay());
    memoryActions(facts.snapshot(), facts.replay());
    memoryRemarks(facts.snapshot(), facts.replay());
    for (const DeviceReplay &device : facts.replay().devices) {
        if (device.events)
            device.levelAfter(facts.snapshot(), device.firstEvent + device.events - 1);
        for (uint32_t row = 0; row < device.allocations.count(); ++row) {
            device.allocations.address(facts.snapshot(), row);
            device.allocations.size(facts.snapshot(), row);
            device.allocations.stream(facts.snapshot(), row);
            allocationStack(facts.snapshot(), device.allocations, row);
        }
    }
    for (uint32_t stack = 0; stack < facts.snapshot().stacks.count(); ++stack)
        for (const uint32_t frame : facts.snapshot().stacks.at(stack))
            facts.snapshot().string(facts.snapshot().frames[frame].name);
}

} // namespace

/// Changes the stored copy of a snapshot, corrects its hashes, and opens it: what opens must be within its bounds.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Original kOriginal;
    const test::Effort effort(size, {.bytes = 64 << 20, .bytesPerByte = 1000});
    MemorySnapshot described;
    (void)readSnapshotDescription({reinterpret_cast<const char *>(data), size}, described);

    StoreHeader good;
    std::memcpy(&good, kOriginal.stored.data(), sizeof good);
    const std::string changed = test::edited(kOriginal.stored, {data, size});
    std::vector<uint8_t> bytes(changed.begin(), changed.end());
    test::mendHashes(bytes, good, [](auto &&...) {});
    test::writeFile(kOriginal.stores.storePath(kOriginal.path),
                    {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    const auto facts = openStoredSnapshot(kOriginal.stores, kOriginal.path, kOriginal.identity, {});
    if (!facts) {
        if (size == 0)
            test::fail("the stored copy cannot be opened: " + facts.error().text());
        return 0;
    }
    use(**facts);
    return 0;
}
