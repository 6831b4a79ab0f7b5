// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"
#include "tests/model/ingest/cuda_snapshot/stack_text.h"

using namespace riffle;
using namespace riffle::test;

namespace {

void writeSegment(PickleWriter &out, int64_t device, uint64_t address, int64_t total, bool expandable)
{
    out.emptyDict();
    out.mark();
    out.text("device");
    out.integer(device);
    out.text("address");
    out.address(address);
    out.text("total_size");
    out.integer(total);
    out.text("stream");
    out.integer(5);
    out.text("segment_type");
    out.text("large");
    out.text("segment_pool_id");
    out.pair(0, 1);
    out.text("is_expandable");
    out.boolean(expandable);
    out.text("frames");
    out.emptyList();
    const uint32_t noFrames = out.lastMemo();
    out.text("blocks");
    out.emptyList();
    out.mark();
    for (int at = 0; at < 3; ++at) {
        out.emptyDict();
        out.mark();
        out.text("address");
        out.address(address + static_cast<uint64_t>(at) * 512);
        out.text("size");
        out.integer(512);
        if (at != 1) {
            out.text("requested_size");
            out.integer(500 - at);
        }
        out.text("state");
        out.text(at == 0 ? "active_allocated" : at == 1 ? "active_awaiting_free" : "inactive");
        out.text("frames");
        out.get(noFrames);
        out.setItems();
    }
    out.appends();
    out.setItems();
}

} // namespace

TEST(SnapshotReading, SegmentsAndTheirBlocks)
{
    const auto read = readPickle(pickled(4, [](PickleWriter &out) { // memory_snapshot(): a bare list
        out.emptyList();
        out.mark();
        writeSegment(out, 1, 0x10000, 2 << 20, true);
        writeSegment(out, 0, UINT64_MAX - 4095, 4096, false);
        out.appends();
    }));
    ASSERT_TRUE(read) << read.error().text();
    const MemorySnapshot &snapshot = **read;
    EXPECT_TRUE(snapshot.stateOnly);
    ASSERT_EQ(snapshot.segments.size(), 2u);
    EXPECT_EQ(snapshot.segments[0].device, 1);
    EXPECT_EQ(snapshot.segments[0].total, 2 << 20);
    EXPECT_TRUE(snapshot.segments[0].expandable);
    EXPECT_FALSE(snapshot.segments[1].expandable);
    EXPECT_EQ(snapshot.pools[snapshot.segments[0].pool], std::pair(int64_t(0), int64_t(1)));
    EXPECT_EQ(snapshot.string(snapshot.segments[0].type), "large");
    EXPECT_EQ(snapshot.segments[1].address, UINT64_MAX - 4095);
    const auto blocks = snapshot.blocksOf(snapshot.segments[1]);
    ASSERT_EQ(blocks.size(), 3u);
    EXPECT_EQ(blocks[2].address, UINT64_MAX - 4095 + 1024);
    EXPECT_EQ(blocks[0].requested, 500);
    EXPECT_EQ(blocks[1].requested, 512) << "the size of the block if nothing is recorded";
    EXPECT_EQ(blocks[0].state, BlockState::Allocated);
    EXPECT_EQ(blocks[1].state, BlockState::PendingFree);
    EXPECT_EQ(blocks[2].state, BlockState::Inactive);
    EXPECT_EQ(snapshot.oddities.unreadableFields, 0u);
}

/// Before blocks had their own addresses and stacks, they had a history with the latest use first.
TEST(SnapshotReading, OldBlocksFollowEachOther)
{
    const auto read = readPickle(pickled(2, [](PickleWriter &out) {
        out.emptyList();
        out.mark();
        out.emptyDict();
        out.mark();
        out.text("address");
        out.address(0x1000);
        out.text("total_size");
        out.integer(2048);
        out.text("blocks");
        out.emptyList();
        out.mark();
        for (int at = 0; at < 2; ++at) {
            out.emptyDict();
            out.mark();
            out.text("size");
            out.integer(1024);
            out.text("state");
            out.text("active_allocated");
            if (at == 1) {
                out.text("history");
                out.emptyList();
                out.mark();
                for (int use = 0; use < 2; ++use) {
                    out.emptyDict();
                    out.mark();
                    out.text("addr");
                    out.address(0x1400);
                    out.text("real_size");
                    out.integer(use == 0 ? 900 : 700);
                    out.text("frames");
                    out.emptyList();
                    out.mark();
                    writeFrame(out, use == 0 ? "latest" : "first", "/a.py", 1);
                    out.appends();
                    out.setItems();
                }
                out.appends();
            }
            out.setItems();
        }
        out.appends();
        out.setItems();
        out.appends();
    }));
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ((*read)->segments.size(), 1u);
    const auto blocks = (*read)->blocksOf((*read)->segments[0]);
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].address, 0x1000u);
    EXPECT_EQ(blocks[0].requested, 1024);
    EXPECT_EQ(blocks[1].address, 0x1400u);
    EXPECT_EQ(blocks[1].requested, 900);
    EXPECT_EQ(stackText(**read, blocks[1].stack), "latest@/a.py:1");
    EXPECT_EQ((*read)->oddities.unreadableFields, 0u);
}

TEST(SnapshotReading, SettingsMarksAndTheHost)
{
    const auto read = readPickle(pickled(5, [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("host_traces");
        out.emptyList();
        out.mark();
        beginEntry(out, "alloc", 16, 32);
        out.setItems();
        out.appends();
        out.text("device_traces");
        out.emptyList();
        out.mark();
        out.emptyList();
        out.emptyList();
        out.mark();
        beginEntry(out, "alloc", 64, 128);
        out.setItems();
        out.appends();
        out.appends();
        out.text("host_segments");
        out.emptyList();
        out.mark();
        writeSegment(out, 0, 4096, 1 << 20, false);
        out.appends();
        out.text("segments");
        out.emptyList();
        out.text("allocator_settings");
        out.emptyDict();
        out.mark();
        out.text("max_split_size");
        out.integer(-1);
        out.text("expandable_segments");
        out.boolean(true);
        out.text("roundup_power2_divisions");
        out.emptyDict();
        out.mark();
        out.text("1");
        out.integer(4);
        out.text("2");
        out.number(0.5);
        out.setItems();
        out.setItems();
        out.text("external_annotations");
        out.emptyList();
        out.mark();
        out.emptyDict();
        out.mark();
        out.text("stage");
        out.text("START");
        out.text("name");
        out.text("Optimizer.step#AdamW.step");
        out.text("device");
        out.integer(1);
        out.text("time_us");
        out.integer(1757253255954476);
        out.setItems();
        out.appends();
        out.text("something new");
        out.none();
        out.setItems();
    }));
    ASSERT_TRUE(read) << read.error().text();
    const MemorySnapshot &snapshot = **read;
    ASSERT_EQ(snapshot.devices.size(), 3u);
    EXPECT_EQ(snapshot.devices[1].device, 1);
    EXPECT_FALSE(snapshot.devices[1].host);
    EXPECT_EQ(snapshot.events.size[snapshot.devices[1].first], 128);
    EXPECT_TRUE(snapshot.devices[2].host);
    EXPECT_EQ(snapshot.events.size[snapshot.devices[2].first], 32);
    ASSERT_EQ(snapshot.segments.size(), 1u);
    EXPECT_TRUE(snapshot.segments[0].host);
    EXPECT_EQ(snapshot.setting("max_split_size"), "-1");
    EXPECT_EQ(snapshot.setting("expandable_segments"), "True");
    EXPECT_EQ(snapshot.setting("roundup_power2_divisions"), "1: 4, 2: 0.5");
    ASSERT_EQ(snapshot.annotations.size(), 1u);
    EXPECT_EQ(snapshot.string(snapshot.annotations[0].name), "Optimizer.step#AdamW.step");
    EXPECT_EQ(snapshot.string(snapshot.annotations[0].stage), "START");
    EXPECT_EQ(snapshot.annotations[0].time, 1757253255954476000);
    EXPECT_EQ(snapshot.oddities.otherKeys, std::vector<std::string>{"something new"});
}
