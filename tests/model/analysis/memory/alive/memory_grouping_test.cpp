// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/alive_stacks.h"
#include "model/analysis/memory/alive/alive_table.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/alive/memory_range.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"
#include "tests/support/chunked_source.h"
#include "tests/support/snapshot_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace riffle;
using namespace riffle::test;
using enum MemoryAction;

namespace {

constexpr MemoryGrouping kFree[] = {MemoryGrouping::Stack,  MemoryGrouping::Module, MemoryGrouping::Operator,
                                    MemoryGrouping::Stream, MemoryGrouping::Pool,   MemoryGrouping::Size,
                                    MemoryGrouping::Device};

/// Returns "name depth bytes/pending/count" for each node.
std::vector<std::string> lines(const MemoryTree &tree)
{
    std::vector<std::string> all;
    for (uint32_t node = 0; node < tree.size(); ++node)
        all.push_back(std::string(tree.depth[node], ' ') + tree.shorts[node] + " " + std::to_string(tree.bytes[node]) +
                      "/" + std::to_string(tree.pending[node]) + "/" + std::to_string(tree.counts[node]));
    return all;
}
using Lines = std::vector<std::string>;

std::shared_ptr<const MemorySnapshot> small()
{
    SmallSnapshot small;
    small.add(FreeCompleted, 900, 7);    // 0: from before the history; its stack is that of the free
    small.add(Alloc, 100, 10);           // 1
    small.add(Alloc, 2000, 600);         // 2
    small.add(Alloc, 3000, 600);         // 3
    small.add(FreeRequested, 3000, 600); // 4
    small.add(Alloc, 4000, 5);           // 5
    small.segment(0, 1000, {SmallSnapshot::block(100, 10)});
    small.segment(0, 9000,
                  {SmallSnapshot::block(2000, 600), SmallSnapshot::block(3000, 600, BlockState::PendingFree),
                   SmallSnapshot::block(4000, 5)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[0].address = 0;
    snapshot.segments[1].address = 1500;
    snapshot.segments[1].pool = 1;
    snapshot.pools.emplace_back(1, 0);
    snapshot.streams = {0, 77};
    snapshot.events.stream = SmallStacks::column(std::vector<uint16_t>{0, 0, 1, 0, 0, 1});
    SmallStacks stacks;
    const SmallStacks::Frame outer{"main", "run.py", 1}, forward{"forward", "model.py", 2},
        left{"relu", "torch/nn/functional.py", 3}, right{"mul", "ops.py", 4};
    const uint32_t a = stacks.add({left, forward, outer}), b = stacks.add({right, forward, outer}),
                   c = stacks.add({outer});
    stacks.give(snapshot, {0, a, b, a, a, c});
    return std::make_shared<const MemorySnapshot>(std::move(snapshot));
}

Lines grouped(const SnapshotFacts &facts, uint32_t event, MemoryGrouping by)
{
    const MemoryInstant instant = memoryInstant(facts, 0, event);
    return lines(groupMemory(facts, std::span(&instant, 1), by));
}

} // namespace

TEST(MemoryGrouping, PutsWhatIsAliveTogether)
{
    const SnapshotFacts facts(small());
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Stack),
              (Lines{"main run.py:1 1215/600/4", " forward model.py:2 1210/600/3", "  relu functional.py:3 610/600/2",
                     "  mul ops.py:4 600/0/1"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Module), (Lines{"model.py:2 1210/600/3", "(in no module) 5/0/1"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Operator),
              (Lines{"torch.nn.functional.relu 610/600/2", "(in no operator) 605/0/2"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Stream), (Lines{"default stream 610/600/2", "stream 0x4d 605/0/2"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Pool), (Lines{"pool (1, 0) 1205/600/3", "default pool 10/0/1"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Size), (Lines{"up to 1 KiB 1200/600/2", "up to 512 B 15/0/2"}));
    EXPECT_EQ(grouped(facts, 5, MemoryGrouping::Device), (Lines{"device 0 1215/600/4"}));
    EXPECT_EQ(grouped(facts, kNoRow, MemoryGrouping::Stack), (Lines{"(no stack recorded) 7/7/1"}));
    EXPECT_EQ(grouped(facts, kNoRow, MemoryGrouping::Pool), (Lines{"default pool 7/7/1"}))
        << "found by its address in the final state";
    EXPECT_EQ(grouped(facts, 0, MemoryGrouping::Stack), Lines());
}

TEST(MemoryGrouping, WhereSomethingFromBeforeWasGivenBackIsNotWhereItWasAllocated)
{
    SmallSnapshot small;
    small.add(Alloc, 100, 10);           // 0: replaces what is freed next
    small.add(FreeRequested, 900, 7);    // 1: from before the history
    small.add(FreeCompleted, 900, 7);    // 2
    small.add(Alloc, 900, 30);           // 3: something new, allocated by the same line
    small.add(FreeCompleted, 2000, 600); // 4: from before the history, as is its request; no stack
    small.add(FreeRequested, 100, 10);   // 5: freed by another line than the one that allocated it
    small.segment(0, 9000,
                  {SmallSnapshot::block(100, 10, BlockState::PendingFree), SmallSnapshot::block(900, 30),
                   SmallSnapshot::block(5000, 4), SmallSnapshot::block(7000, 2)});
    MemorySnapshot snapshot = small.take();
    SmallStacks stacks;
    const SmallStacks::Frame outer{"main", "run.py", 1}, step{"step", "torch/optim/mine.py", 73},
        forward{"forward", "model.py", 2}, state{"state", "torch/optim/mine.py", 76};
    const uint32_t a = stacks.add({step, outer}), b = stacks.add({state, outer}), c = stacks.add({forward, outer});
    stacks.give(snapshot, {b, a, 0, a, 0, c});
    std::vector<MemoryBlock> blocks(snapshot.blocks.begin(), snapshot.blocks.end());
    blocks[2].stack = c; // alive all the time: the final state knows its stack
    snapshot.blocks = SmallStacks::column(std::move(blocks));
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    const std::string title = "(from before the history, freed at)";
    EXPECT_EQ(grouped(facts, kNoRow, MemoryGrouping::Stack),
              (Lines{"(no stack recorded) 602/600/2", title + " 7/0/1", " main run.py:1 7/0/1",
                     "  step mine.py:73 7/0/1", "main run.py:1 4/0/1", " forward model.py:2 4/0/1"}));
    EXPECT_EQ(grouped(facts, kNoRow, MemoryGrouping::Operator),
              (Lines{"(no stack recorded) 602/600/2", title + " 7/0/1", " torch.optim.mine.step 7/0/1",
                     "(in no operator) 4/0/1"}));
    EXPECT_EQ(grouped(facts, kNoRow, MemoryGrouping::Module),
              (Lines{"(no stack recorded) 602/600/2", title + " 7/0/1", "model.py:2 4/0/1"}));
    EXPECT_EQ(grouped(facts, 3, MemoryGrouping::Operator),
              (Lines{"(no stack recorded) 602/600/2", "torch.optim.mine.step 30/0/1", "torch.optim.mine.state 10/0/1",
                     "(in no operator) 4/0/1"}))
        << "what the line itself allocated counts for it";
    const ResultTable alive = aliveAllocations(facts, memoryInstant(facts, 0, kNoRow), nullptr);
    const auto place = std::find_if(alive.columns.begin(), alive.columns.end(),
                                    [](const ResultColumn &column) { return column.key == "place"; });
    ASSERT_NE(place, alive.columns.end());
    EXPECT_EQ(place->shorts, (Lines{"", "from before the history, freed at main run.py:1", "forward model.py:2", ""}));
    const ResultTable stacksAlive = aliveStacks(facts, memoryInstant(facts, 0, kNoRow));
    EXPECT_EQ(stacksAlive.columns[0].texts,
              (Lines{"", "from before the history, freed at step mine.py:73 < main run.py:1",
                     "forward model.py:2 < main run.py:1"}));
    const ResultTable range = memoryOfRange(facts, 0, 1, 3, {});
    EXPECT_TRUE(std::count(range.columns[0].shorts.begin(), range.columns[0].shorts.end(),
                           "from before the history, freed at step mine.py:73 ← main run.py:1"));
    EXPECT_TRUE(
        std::count(range.columns[0].shorts.begin(), range.columns[0].shorts.end(), "step mine.py:73 ← main run.py:1"))
        << "of what was allocated there";
}

TEST(MemoryGrouping, OfAnAllocThatIsMissingNeitherFreeIsItsPlace)
{
    SmallSnapshot small;
    small.add(Alloc, 100, 10);         // 0
    small.add(FreeCompleted, 100, 10); // 1
    small.add(FreeCompleted, 100, 20); // 2: this memory was allocated in between
    MemorySnapshot snapshot = small.take();
    SmallStacks stacks;
    const uint32_t a = stacks.add({{"make", "a.py", 1}}), b = stacks.add({{"drop", "b.py", 2}}),
                   c = stacks.add({{"drop", "c.py", 3}});
    stacks.give(snapshot, {a, b, c});
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    EXPECT_EQ(grouped(facts, 1, MemoryGrouping::Stack),
              (Lines{"(its alloc is missing, freed at) 20/0/1", " drop c.py:3 20/0/1"}))
        << "no request is recorded, so the free at event 2 is the request, too";
}

TEST(MemoryGrouping, SumsAreTheLevelsAndLeavesHoldTheirRows)
{
    std::string bytes;
    SnapshotOptions options;
    options.entries = 20'000;
    options.stacks = 300;
    generateSnapshot(options, [&](std::string_view part) { bytes += part; });
    ChunkedSource source(bytes, 1 << 20);
    const auto snapshot = readMemoryPickle(source, "generated", {});
    ASSERT_TRUE(snapshot);
    const SnapshotFacts facts(*snapshot);
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
        const uint32_t event = round == 0 ? kNoRow : static_cast<uint32_t>(random() % options.entries);
        const MemoryInstant instant = memoryInstant(facts, 0, event);
        const MemoryLevel level = facts.alive(0).level(event);
        for (const MemoryGrouping by : kFree) {
            const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), by);
            ASSERT_EQ(tree.totalBytes(), level.active);
            ASSERT_EQ(tree.totalBytes() - tree.totalPending(), level.allocated);
            ASSERT_EQ(tree.totalCount(), static_cast<int64_t>(instant.rows.size()));
            std::vector<int64_t> own(tree.size(), 0);
            for (size_t at = 0; at < instant.rows.size(); ++at)
                own[tree.leaves[at]] += facts.replay().devices[0].allocations.size(**snapshot, instant.rows[at]);
            ASSERT_EQ(own, tree.own);
            for (uint32_t node = 1; node < tree.size(); ++node) {
                const uint32_t parent = tree.parents[node];
                ASSERT_EQ(parent == MemoryTree::kNone, tree.depth[node] == 0);
                if (parent != MemoryTree::kNone) {
                    ASSERT_LT(parent, node);
                    ASSERT_LT(node, tree.end(parent));
                    ASSERT_LE(tree.bytes[node], tree.bytes[parent]);
                }
            }
            EXPECT_EQ(memoryTreeTable(tree, by).rows(), tree.size());
        }
    }
}

TEST(MemoryGrouping, MomentsAreReadAndFound)
{
    using Kind = MemoryMoment::Kind;
    const auto is = [](std::string_view text, Kind kind, int64_t value) {
        const auto moment = parseMemoryMoment(text);
        return moment && moment->kind == kind && moment->value == value;
    };
    EXPECT_TRUE(is("peak", Kind::Peak, 0));
    EXPECT_TRUE(is("12", Kind::Event, 12));
    EXPECT_TRUE(is("#12", Kind::Event, 12));
    EXPECT_TRUE(is("1.5", Kind::Time, 1'500'000'000));
    EXPECT_TRUE(is("20ms", Kind::Time, 20'000'000));
    for (const char *wrong : {"", "#", "-3", "#-3", "#1s", "often", "99999999999999999999", "1x"})
        EXPECT_FALSE(parseMemoryMoment(wrong)) << wrong;
    const SnapshotFacts facts(small());
    EXPECT_EQ(*eventAt(facts, 0, {Kind::Peak, 0}), 3u);
    EXPECT_EQ(*eventAt(facts, 0, {Kind::Begin, 0}), kNoRow);
    EXPECT_EQ(*eventAt(facts, 0, {Kind::End, 0}), 5u);
    EXPECT_EQ(*eventAt(facts, 0, {Kind::Event, 3}), 3u);
    EXPECT_FALSE(eventAt(facts, 0, {Kind::Event, 6}));
    EXPECT_FALSE(eventAt(facts, 0, {Kind::Time, 0})) << "no event has a time";
    EXPECT_FALSE(eventAt(facts, 0, {Kind::OutOfMemory, 0}));
}
