// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/alive_table.h"
#include "model/analysis/memory/alive/memory_diff.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/allocator/oom_advice.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/memory_marks.h"
#include "model/analysis/memory/memory_info.h"
#include "tests/support/snapshot_difference.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace riffle::test {

[[noreturn]] inline void fail(const std::string &what)
{
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

/// Checks that levels computed individually equal those of the replay.
inline void checkReplay(const MemorySnapshot &snapshot)
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
inline void checkAllocator(const SnapshotFacts &facts)
{
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

/// Checks that every grouping of the allocations that are alive adds up to the replay's level.
inline void checkInstant(const SnapshotFacts &facts, const MemoryCategories &categories, uint32_t device,
                         uint32_t event)
{
    const MemoryInstant instant = memoryInstant(facts, device, event),
                        end = memoryInstant(facts, device, UINT32_MAX - 1);
    const AliveIndex &alive = facts.alive(device);
    const MemoryLevel level = alive.level(event), sum = alive.sum(instant.rows, event);
    if (sum.active != level.active || sum.allocated != level.allocated)
        fail("the allocations that are alive do not add up to the level");
    for (uint8_t by = 0; by < kMemoryGroupings; ++by) {
        const auto grouping = static_cast<MemoryGrouping>(by);
        const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), grouping, &categories);
        if (tree.totalBytes() != level.active || tree.leaves.size() != instant.rows.size())
            fail("the groups do not add up to the level");
        memoryTreeTable(tree, grouping);
        memoryDifferenceTable(
            memoryDifference(tree, groupMemory(facts, std::span(&end, 1), grouping, &categories), grouping), grouping);
    }
    aliveAllocations(facts, instant, &categories);
    describeInstant(facts, device, event);
}

/// Checks up to `instants` instants of each of the first `devices` devices, besides its peak.
inline void checkInstants(const SnapshotFacts &facts, uint32_t devices, uint32_t instants)
{
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    memoryMarks(facts.snapshot());
    memoryOutOfMemory(facts.snapshot(), facts.replay());
    const auto count = static_cast<uint32_t>(facts.replay().devices.size());
    for (uint32_t device = 0; device < std::min(count, devices); ++device) {
        const DeviceReplay &replay = facts.replay().devices[device];
        checkInstant(facts, categories, device, MemoryAllocations::kNone);
        checkInstant(facts, categories, device, replay.peakAllocatedEvent);
        for (uint32_t part = 0; part < instants && replay.events; ++part)
            checkInstant(facts, categories, device,
                         replay.firstEvent + static_cast<uint32_t>(uint64_t(replay.events - 1) * part / 2));
    }
}

} // namespace riffle::test
