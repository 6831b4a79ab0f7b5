// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/allocator_map.h"
#include "tests/model/analysis/memory/simulated_allocator.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

constexpr uint32_t kNone = MemoryAllocations::kNone;

SimulatedAllocator::State found(const AllocatorState &state)
{
    SimulatedAllocator::State all;
    for (const AllocatorSegment &segment : state.segments)
        all.segments[segment.range.address] = {segment.range.size, segment.range.stream, segment.range.pool,
                                               segment.range.expandable};
    for (const AllocatorPiece &piece : state.pieces)
        if (piece.state != AllocatorPiece::State::Free)
            all.blocks[piece.address] = {piece.size, piece.requested, piece.state == AllocatorPiece::State::Pending};
    return all;
}

/// The figures, computed from a map of slots of 512 bytes.
AllocatorFigures counted(const SimulatedAllocator::State &truth)
{
    AllocatorFigures figures;
    for (const auto &[address, segment] : truth.segments) {
        std::vector<bool> used(segment.size / 512);
        ++figures.segments;
        figures.reserved += segment.size;
        for (const auto &[at, block] : truth.blocks) {
            if (at < address || at >= address + segment.size)
                continue;
            ++figures.blocks;
            figures.pendingBlocks += block.pending;
            (block.pending ? figures.pending : figures.allocated) += block.requested;
            figures.inBlocks += block.size;
            for (uint64_t slot = 0; slot < block.size / 512; ++slot)
                used[(at - address) / 512 + slot] = true;
        }
        uint64_t run = 0;
        for (size_t slot = 0; slot <= used.size(); ++slot) {
            if (slot < used.size() && !used[slot]) {
                run += 512;
            } else if (run) {
                ++figures.holes;
                figures.free += run;
                figures.largestFree = std::max(figures.largestFree, run);
                figures.freeSquares += static_cast<AllocatorFigures::Square>(run) * run;
                run = 0;
            }
        }
    }
    return figures;
}

} // namespace

TEST(AllocatorMap, AgreesWithASimulatedAllocatorAfterEveryEvent)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        SimulatedAllocator allocator(seed);
        allocator.run(3000);
        const size_t cut = 700 * (seed - 1);
        const SnapshotFacts facts(sharedSnapshot(allocator.recordedFrom(cut)));
        const AllocatorMap map(facts, 0, {});
        EXPECT_EQ(map.history().troubles().unknownAllocs.count, 0u);
        EXPECT_EQ(map.history().troubles().overlappingFrees.count, 0u);
        for (size_t at = cut; at <= 3000; at += 1 + at % 7) {
            const AllocatorState state = map.after(at == cut ? kNone : static_cast<uint32_t>(at - cut - 1));
            const SimulatedAllocator::State &truth = allocator.states[at];
            const SimulatedAllocator::State here = found(state);
            ASSERT_EQ(here.segments, truth.segments) << seed << " " << at;
            ASSERT_EQ(here.blocks, truth.blocks) << seed << " " << at;
            AllocatorFigures expected = counted(truth);
            expected.guessedBlocks = state.figures.guessedBlocks;
            ASSERT_EQ(state.figures, expected) << seed << " " << at;
            ASSERT_EQ(state.figures.reserved, state.figures.inBlocks + state.figures.free);
            const MemoryLevel level = facts.alive(0).level(state.event);
            ASSERT_EQ(level,
                      (MemoryLevel{static_cast<int64_t>(expected.allocated), static_cast<int64_t>(expected.active()),
                                   static_cast<int64_t>(expected.reserved)}));
            ASSERT_EQ(state.outsideBlocks + state.overlappingBlocks + state.crossingBlocks, 0u);
        }
    }
}

TEST(AllocatorMap, KeptRangesAreAsGoodAsGoingBackAllTheWay)
{
    SmallSnapshot small;
    constexpr uint32_t kSegments = 3000;
    for (uint32_t round = 0; round < 6; ++round) {
        for (uint32_t at = 0; at < kSegments; ++at)
            small.add(MemoryAction::SegmentAlloc, 4096 + at * 4096ull, 2048);
        for (uint32_t at = 0; at < kSegments; ++at)
            small.add(MemoryAction::SegmentFree, 4096 + at * 4096ull, 2048);
    }
    const SnapshotFacts facts(sharedSnapshot(small.take()));
    const AllocatorMap map(facts, 0, {});
    for (uint32_t event = 0; event < 12 * kSegments; event += 37) {
        const uint32_t inRound = event % (2 * kSegments);
        const uint32_t expected = inRound < kSegments ? inRound + 1 : 2 * kSegments - 1 - inRound;
        ASSERT_EQ(map.history().after(event).size(), expected) << event;
    }
}

TEST(AllocatorMap, PartsOfMappedSegmentsComeAndGo)
{
    SmallSnapshot small;
    small.add(MemoryAction::SegmentMap, 0, 100);    // 0
    small.add(MemoryAction::SegmentMap, 200, 100);  // 1
    small.add(MemoryAction::SegmentMap, 100, 100);  // 2: now one range
    small.add(MemoryAction::SegmentUnmap, 50, 50);  // 3: now two ranges
    small.add(MemoryAction::SegmentAlloc, 400, 10); // 4
    small.add(MemoryAction::SegmentAlloc, 410, 10); // 5: touches the other one, but stays a separate segment
    small.add(MemoryAction::SegmentFree, 400, 10);  // 6
    small.add(MemoryAction::SegmentUnmap, 0, 50);   // 7
    small.segment(0, 200, {});
    small.segment(0, 10, {});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[0].address = 100;
    snapshot.segments[0].expandable = true;
    snapshot.segments[1].address = 410;
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    const auto ranges = [&](uint32_t event) {
        std::vector<std::pair<uint64_t, uint64_t>> all;
        for (const MappedRange &range : map.history().after(event))
            all.emplace_back(range.address, range.size);
        return all;
    };
    using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
    EXPECT_EQ(ranges(kNone), Ranges{});
    EXPECT_EQ(ranges(0), (Ranges{{0, 100}}));
    EXPECT_EQ(ranges(1), (Ranges{{0, 100}, {200, 100}}));
    EXPECT_EQ(ranges(2), (Ranges{{0, 300}}));
    EXPECT_EQ(ranges(3), (Ranges{{0, 50}, {100, 200}}));
    EXPECT_EQ(ranges(5), (Ranges{{0, 50}, {100, 200}, {400, 10}, {410, 10}}));
    EXPECT_EQ(ranges(6), (Ranges{{0, 50}, {100, 200}, {410, 10}}));
    EXPECT_EQ(ranges(7), (Ranges{{100, 200}, {410, 10}}));
}

TEST(AllocatorMap, DamageIsCountedAndNothingIsHidden)
{
    SmallSnapshot small;
    small.add(MemoryAction::SegmentAlloc, 90'000, 4096);         // 0: neither freed nor there at the end
    small.add(MemoryAction::SegmentAlloc, 70'000, -5);           // 1
    small.add(MemoryAction::SegmentFree, 0, 4096);               // 2: but there at the end
    small.add(MemoryAction::SegmentFree, UINT64_MAX - 10, 4096); // 3: beyond the last address
    small.add(MemoryAction::Alloc, 50'000, 100);                 // 4: in no segment
    small.segment(0, 8192,
                  {SmallSnapshot::block(0, 1000), SmallSnapshot::block(512, 512), SmallSnapshot::block(7680, 1000)});
    small.segment(0, 4096, {});
    small.segment(0, 0, {});
    small.segment(0, 512, {SmallSnapshot::block(50'000, 100)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 4096;
    snapshot.segments[2].address = 60'000;
    snapshot.segments[3].address = 80'000; // its block is elsewhere
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    const SegmentTroubles &troubles = map.history().troubles();
    EXPECT_EQ(troubles.unknownAllocs.count, 1u);
    EXPECT_EQ(troubles.unknownAllocs.firstEvent, 0u);
    EXPECT_EQ(troubles.impossibleSizes.count, 2u);
    EXPECT_EQ(troubles.impossibleSizes.firstEvent, 1u);
    EXPECT_EQ(troubles.overlappingFrees.count, 1u);
    EXPECT_EQ(troubles.overlappingSegments, 1u);
    EXPECT_EQ(troubles.emptySegments, 1u);
    const AllocatorState state = map.after(4);
    EXPECT_EQ(state.outsideBlocks, 1u);
    EXPECT_EQ(state.outsideBytes, 100u);
    EXPECT_EQ(state.pieces.back().segment, AllocatorPiece::kNone);
    EXPECT_EQ(state.overlappingBlocks, 1u);
    EXPECT_EQ(state.crossingBlocks, 1u);
    EXPECT_EQ(state.figures.reserved, 8192u + 512u);
    EXPECT_EQ(state.figures.inBlocks, 1024u + 512u);
    EXPECT_EQ(state.figures.free, 8192u + 512u - 1024u - 512u);
    ASSERT_NE(state.at(100), nullptr);
    EXPECT_EQ(state.at(100)->requested, 1000u);
    EXPECT_EQ(state.at(5000)->state, AllocatorPiece::State::Free);
    EXPECT_EQ(state.at(50'000), nullptr);
    EXPECT_EQ(state.at(UINT64_MAX), nullptr);
}

TEST(AllocatorMap, SizesThatAreNotRecordedAreRoundedUpAndHaveRoom)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 1000);  // 0: 1024
    small.add(MemoryAction::Alloc, 1024, 10); // 1: 200 bytes are left before the next block
    small.add(MemoryAction::Alloc, 1224, 10); // 2
    for (const uint64_t address : {0, 1024, 1224}) {
        small.add(MemoryAction::FreeRequested, address, address ? 10 : 1000);
        small.add(MemoryAction::FreeCompleted, address, address ? 10 : 1000);
    }
    small.segment(0, 1424, {});
    const SnapshotFacts facts(sharedSnapshot(small.take()));
    const AllocatorMap map(facts, 0, {});
    const AllocatorState state = map.after(2);
    ASSERT_EQ(state.pieces.size(), 3u);
    EXPECT_EQ(state.pieces[0].size, 1024u);
    EXPECT_EQ(state.pieces[1].size, 200u);
    EXPECT_EQ(state.pieces[2].size, 200u);
    EXPECT_EQ(state.figures.guessedBlocks, 3u);
    EXPECT_EQ(state.figures.rounding(), 24u + 190 + 190);
    EXPECT_EQ(state.figures.fragmentation(), 0);
    const AllocatorState end = map.after(8);
    EXPECT_EQ(end.figures.free, 1424u);
    EXPECT_EQ(end.figures.squaredFragmentation(), 1);
}
