// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/allocator/oom_advice.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/memory_info.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/chunked_source.h"
#include "tests/support/snapshot_difference.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace riffle;

namespace {

void fail(const std::string &what)
{
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

/// Checks that levels computed individually equal those of the replay.
void checkReplay(const MemorySnapshot &snapshot)
{
    const MemoryReplay replay = replayMemory(snapshot, {});
    memoryDevices(snapshot, replay);
    memoryActions(snapshot, replay);
    memoryRemarks(snapshot, replay);
    for (const DeviceReplay &device : replay.devices) {
        if (device.events && device.levelAfter(snapshot, device.firstEvent + device.events - 1) != device.atEnd)
            fail("the last level is not the one at the end");
        if (device.events && device.checkpoints.front() != device.atBegin)
            fail("the first level is not the one at the start");
        for (uint32_t row = 0; row < device.allocations.count(); ++row)
            if (allocationStack(snapshot, device.allocations, row).stack >= snapshot.stacks.count())
                fail("an allocation has no stack");
    }
}

/// Checks that the allocator's state is consistent after any event, and that its figures equal those computed forward.
/// (For overlapping blocks the forward figures are incomplete: see HoleTracker.)
void checkAllocator(const std::shared_ptr<const MemorySnapshot> &snapshot)
{
    const SnapshotFacts facts(snapshot);
    for (uint32_t device = 0; device < facts.replay().devices.size(); ++device) {
        const AllocatorMap map(facts, device, {});
        const AllocatorSeries series = allocatorSeries(map, 256, {});
        for (size_t at = 0; at < std::min<size_t>(series.samples.size(), 64); ++at) {
            const AllocatorState state = map.after(series.samples[at].event);
            if (state.figures.reserved != state.figures.inBlocks + state.figures.free)
                fail("blocks and holes do not add up to the segments");
            const AllocatorFigures &followed = series.samples[at].figures;
            if (followed.reserved != state.figures.reserved || followed.segments != state.figures.segments)
                fail("the segments computed forward differ");
            if (state.overlappingBlocks == 0 && followed != state.figures)
                fail("the figures computed forward differ");
        }
        allocatorBlocks(map, map.after(MemoryAllocations::kNone));
        allocatorRemarks(map, map.after(MemoryAllocations::kNone));
    }
    const std::vector<OutOfMemory> failures = explainOutOfMemory(facts, {});
    outOfMemoryTable(facts, failures);
    if (!failures.empty())
        adviceTable(facts, failures,
                    adviceOnFailures(facts, failures, MemoryCategories(facts, MemoryRules::builtIn()), {}));
}

} // namespace

/// Runs the whole reader and the replay, once on bytes in memory and once on the same bytes in pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char *>(data), size - 1);
    test::ChunkedSource whole(bytes), pieces(bytes, 1 + data[size - 1] % 61);
    const auto mapped = readMemoryPickle(whole, "fuzz", {}), streamed = readMemoryPickle(pieces, "fuzz", {});
    if (bool(mapped) != bool(streamed)) {
        // The limit for an archive is higher than that for a plain file.
        if (!mapped && mapped.error().kind == ErrorKind::Limit)
            return 0;
        fail("only one of the two could be read: " + (mapped ? streamed : mapped).error().text());
    }
    if (!mapped) {
        if (mapped.error().text() != streamed.error().text() && mapped.error().kind != ErrorKind::Limit)
            fail(mapped.error().text() + " / " + streamed.error().text());
        return 0;
    }
    if (const std::string problem = test::snapshotProblem(**mapped); !problem.empty())
        fail(problem);
    if (const std::string difference = test::snapshotDifference(**mapped, **streamed); !difference.empty())
        fail("reading in pieces gives a different snapshot: " + difference);
    checkReplay(**mapped);
    checkAllocator(*mapped);
    return 0;
}
