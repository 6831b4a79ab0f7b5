// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_range.h"
#include "model/analysis/memory/events/memory_events.h"
#include "model/base/big_vector.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace riffle {
namespace {

MemoryEventFilter filterOf(std::string_view text)
{
    const auto filter = parseMemoryEventFilter(text);
    EXPECT_TRUE(filter) << text;
    return filter ? *filter : MemoryEventFilter();
}

/// A history that allocates and frees addresses at random. Some allocations are from before it, and some stay.
MemorySnapshot randomHistory(uint32_t events, uint64_t seed)
{
    std::mt19937_64 random(seed);
    test::SmallSnapshot made;
    std::map<uint64_t, int64_t> open, pending;
    for (uint32_t at = 0; at < events; ++at) {
        const uint64_t address = 0x1000 + random() % 40 * 0x1000;
        const auto size = static_cast<int64_t>(512 + random() % 5000);
        if (pending.contains(address)) {
            made.add(MemoryAction::FreeCompleted, address, pending[address]);
            pending.erase(address);
        } else if (open.contains(address)) {
            made.add(MemoryAction::FreeRequested, address, open[address]);
            pending[address] = open[address];
            open.erase(address);
        } else if (random() % 9 == 0) {
            made.add(MemoryAction::SegmentAlloc, address, size);
        } else {
            made.add(MemoryAction::Alloc, address, size);
            open[address] = size;
        }
    }
    std::vector<MemoryBlock> blocks;
    for (const auto &[address, size] : open)
        blocks.push_back(test::SmallSnapshot::block(address, size));
    for (const auto &[address, size] : pending)
        blocks.push_back(test::SmallSnapshot::block(address, size, BlockState::PendingFree));
    blocks.push_back(test::SmallSnapshot::block(0x900000, 700)); // from before the history
    made.segment(0, 1 << 24, blocks);
    return made.take();
}

TEST(MemoryEvents, WordsOfAFilter)
{
    EXPECT_EQ(filterOf(""), MemoryEventFilter());
    EXPECT_EQ(filterOf("alloc").actions, std::vector<MemoryAction>{MemoryAction::Alloc});
    EXPECT_EQ(filterOf("free").actions.size(), 3u);
    EXPECT_EQ(filterOf("segment").actions.size(), 4u);
    EXPECT_EQ(filterOf(">10MB").leastBytes, (10 << 20) + 1);
    EXPECT_EQ(filterOf(">=1.5KiB").leastBytes, 1536);
    EXPECT_EQ(filterOf("<1g").mostBytes, (1 << 30) - 1);
    EXPECT_EQ(filterOf(">10 <20").mostBytes, 19);
    EXPECT_EQ(filterOf("=1024").leastBytes, 1024);
    EXPECT_EQ(filterOf("=1024").mostBytes, 1024);
    EXPECT_EQ(filterOf("0x7F00aB").address, 0x7f00abu);
    EXPECT_EQ(filterOf("stream:0x10").stream, 16);
    EXPECT_EQ(filterOf("#12-#400").last, 400u);
    EXPECT_EQ(filterOf("#7").first, 7u);
    EXPECT_EQ(filterOf("Forward").texts, std::vector<std::string>{"forward"});
    EXPECT_EQ(filterOf("\"a b\" c").texts, (std::vector<std::string>{"a b", "c"}));
    for (const char *wrong : {">", ">ten", ">1XB", "0xzz", "stream:", "#a", "#1-", "<-5"})
        EXPECT_FALSE(parseMemoryEventFilter(wrong)) << wrong;
}

TEST(MemoryEvents, AFilterKeepsWhatALookAtEveryEventKeeps)
{
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(randomHistory(3000, 1)));
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &device = facts.replay().devices.front();
    const auto check = [&](std::string_view text, auto wanted) {
        BigVector<uint32_t> rows;
        for (uint32_t event = 0; event < 3000; ++event)
            if (wanted(event))
                rows.push_back(event);
        EXPECT_EQ(matchingEvents(snapshot, device, filterOf(text)), rows) << text;
        EXPECT_FALSE(rows.empty()) << text;
    };
    const auto &events = snapshot.events;
    check("", [](uint32_t) { return true; });
    check("alloc", [&](uint32_t at) { return events.action[at] == MemoryAction::Alloc; });
    check("free >2K", [&](uint32_t at) {
        return (events.action[at] == MemoryAction::FreeRequested || events.action[at] == MemoryAction::FreeCompleted) &&
               events.size[at] > 2048;
    });
    check("0x5000", [&](uint32_t at) { return events.address[at] == 0x5000; });
    check("#100-#220 alloc",
          [&](uint32_t at) { return at >= 100 && at <= 220 && events.action[at] == MemoryAction::Alloc; });
    check("stream:0", [](uint32_t) { return true; });
    EXPECT_TRUE(matchingEvents(snapshot, device, filterOf("stream:7")).empty());
    EXPECT_TRUE(matchingEvents(snapshot, device, filterOf("\"no such text\"")).empty());
}

TEST(MemoryEvents, EveryEventKnowsItsAllocation)
{
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(randomHistory(2000, 2)));
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &device = facts.replay().devices.front();
    const EventAllocations rows(device);
    for (uint32_t event = 0; event < 2000; ++event) {
        const uint32_t row = rows.of(event);
        if (snapshot.events.action[event] == MemoryAction::SegmentAlloc) {
            EXPECT_EQ(row, MemoryAllocations::kNone);
            continue;
        }
        ASSERT_NE(row, MemoryAllocations::kNone);
        const auto &all = device.allocations;
        EXPECT_TRUE(all.begin[row] == event || all.freed[row] == event || all.end[row] == event);
        EXPECT_EQ(all.address(snapshot, row), snapshot.events.address[event]);
    }
    EXPECT_EQ(rows.of(5000), MemoryAllocations::kNone);
}

TEST(MemoryEvents, ARangeSumsWhatBeginsEndsAndIsAliveBehindIt)
{
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(randomHistory(1500, 3)));
    const MemorySnapshot &snapshot = facts.snapshot();
    const auto &events = snapshot.events;
    for (const auto &[first, last] : {std::pair(0u, 1499u), std::pair(200u, 420u), std::pair(700u, 700u)}) {
        const ResultTable table = memoryOfRange(facts, 0, first, last);
        int64_t allocated = 0, freed = 0, alive = 700;
        std::map<uint64_t, int64_t> open;
        for (uint32_t event = 0; event <= last; ++event) {
            const int64_t size = events.size[event];
            if (events.action[event] == MemoryAction::Alloc) {
                open[events.address[event]] = size;
                allocated += event >= first ? size : 0;
            } else if (events.action[event] == MemoryAction::FreeRequested) {
                freed += event >= first ? size : 0;
            } else if (events.action[event] == MemoryAction::FreeCompleted) {
                open.erase(events.address[event]);
            }
        }
        for (const auto &[address, size] : open)
            alive += size;
        const auto sum = [&](const char *key) {
            int64_t total = 0;
            for (const int64_t cell : table.column(key)->integers)
                total += cell;
            return total;
        };
        EXPECT_EQ(sum("allocated_bytes"), allocated);
        EXPECT_EQ(sum("freed_bytes"), freed);
        EXPECT_EQ(sum("alive_bytes"), alive);
        EXPECT_LE(sum("kept_bytes"), std::min(allocated, alive));
    }
}

} // namespace
} // namespace riffle
