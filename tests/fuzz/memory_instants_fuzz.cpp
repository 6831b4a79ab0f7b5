// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/alive_table.h"
#include "model/analysis/memory/alive/memory_diff.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/memory_marks.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/chunked_source.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace riffle;

namespace {

void fail(const char *what)
{
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

/// Checks that every grouping of the allocations that are alive adds up to the replay's level.
void check(const SnapshotFacts &facts, const MemoryCategories &categories, uint32_t device, uint32_t event)
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
        memoryDifferenceTable(memoryDifference(tree, groupMemory(facts, std::span(&end, 1), grouping, &categories)),
                              grouping);
    }
    aliveAllocations(facts, instant, &categories);
    describeInstant(facts, device, event);
}

} // namespace

/// Reads a snapshot and queries several instants of it; or, after a zero byte, parses rules.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    if (bytes.starts_with('\0')) {
        (void)MemoryRules::parse(bytes.substr(1), "fuzz");
        return 0;
    }
    test::ChunkedSource source(bytes);
    const auto snapshot = readMemoryPickle(source, "fuzz", {});
    if (!snapshot)
        return 0;
    const SnapshotFacts facts(*snapshot);
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    memoryMarks(**snapshot);
    memoryOutOfMemory(**snapshot, facts.replay());
    for (uint32_t device = 0; device < facts.replay().devices.size(); ++device) {
        const DeviceReplay &replay = facts.replay().devices[device];
        check(facts, categories, device, MemoryAllocations::kNone);
        check(facts, categories, device, replay.peakAllocatedEvent);
        for (uint32_t part = 0; part < 3 && replay.events; ++part)
            check(facts, categories, device,
                  replay.firstEvent + static_cast<uint32_t>(uint64_t(replay.events - 1) * part / 2));
    }
    return 0;
}
