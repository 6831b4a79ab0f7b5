// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"

using namespace riffle;
using namespace riffle::test;

TEST(SnapshotReading, FieldsOfLaterRecorders)
{
    const auto read = readPickle(historyPickle(4, [](PickleWriter &out) {
        beginEntry(out, "segment_map", 1ull << 63, 2 << 20);
        out.text("pool_id");
        out.pair(0, 7);
        out.text("compile_context");
        out.text("N/A");
        out.text("user_metadata");
        out.text("step 3");
        out.text("category");
        out.text("activation");
        out.text("not known");
        out.number(1.5);
        out.setItems();
        out.emptyDict();
        out.mark();
        out.text("action");
        out.text("oom");
        out.text("device_free");
        out.integer(95682560);
        out.text("size");
        out.integer(5308694528);
        out.text("frames");
        out.none();
        out.setItems();
        beginEntry(out, "ponder", 5, 6);
        out.setItems();
    }));
    ASSERT_TRUE(read) << read.error().text();
    const MemorySnapshot &snapshot = **read;
    ASSERT_EQ(snapshot.events.count(), 3u);
    EXPECT_EQ(snapshot.events.address[0], 1ull << 63);
    EXPECT_EQ(snapshot.pools[snapshot.events.pool[0]], std::pair(int64_t(0), int64_t(7)));
    EXPECT_EQ(snapshot.pools[snapshot.events.pool[1]], std::pair(int64_t(0), int64_t(0)));
    EXPECT_EQ(snapshot.string(snapshot.events.compileContext[0]), "N/A");
    EXPECT_EQ(snapshot.string(snapshot.events.metadata[0]), "step 3");
    EXPECT_EQ(snapshot.string(snapshot.events.category[0]), "activation");
    EXPECT_EQ(snapshot.events.metadata[2], 0u);
    EXPECT_EQ(snapshot.events.action[1], MemoryAction::OutOfMemory);
    EXPECT_EQ(snapshot.events.address[1], 95682560u);
    EXPECT_EQ(snapshot.events.size[1], 5308694528);
    EXPECT_EQ(snapshot.events.action[2], MemoryAction::Other);
    EXPECT_EQ(snapshot.oddities.otherActions.at("ponder"), 1u);
    EXPECT_EQ(snapshot.oddities.unreadableFields, 0u);
}

TEST(SnapshotReading, MetadataMayBeADictAndPoolIdsLists)
{
    const auto read = readPickle(historyPickle(4, [](PickleWriter &out) {
        beginEntry(out, "alloc", 5, 6);
        out.text("pool_id");
        out.emptyList();
        out.mark();
        out.integer(0);
        out.integer(7);
        out.appends();
        out.text("user_metadata");
        out.emptyDict();
        const uint32_t dict = out.lastMemo();
        out.mark();
        out.text("step");
        out.integer(3);
        out.text("name");
        out.text("a \"b\"");
        out.text("more");
        out.emptyList();
        out.mark();
        out.number(0.5);
        out.boolean(true);
        out.none();
        out.appends();
        out.setItems();
        out.setItems();
        beginEntry(out, "annotate", 5, 6);
        out.text("user_metadata");
        out.get(dict);
        out.setItems();
        beginEntry(out, "alloc", 7, 6);
        out.text("pool_id");
        out.emptyList();
        out.mark();
        out.integer(1);
        out.integer(2);
        out.integer(3);
        out.appends();
        out.text("user_metadata");
        out.emptyList();
        out.mark();
        for (int at = 0; at < 500; ++at)
            out.text("word");
        out.appends();
        out.setItems();
    }));
    ASSERT_TRUE(read) << read.error().text();
    const MemorySnapshot &snapshot = **read;
    ASSERT_EQ(snapshot.events.count(), 3u);
    EXPECT_EQ(snapshot.pools[snapshot.events.pool[0]], std::pair(int64_t(0), int64_t(7)));
    EXPECT_EQ(snapshot.string(snapshot.events.metadata[0]), R"({"step":3,"name":"a \"b\"","more":[0.5,true,null]})");
    EXPECT_EQ(snapshot.events.action[1], MemoryAction::Annotate);
    EXPECT_EQ(snapshot.events.metadata[1], snapshot.events.metadata[0]);
    EXPECT_EQ(snapshot.events.pool[2], 0u);
    EXPECT_EQ(snapshot.oddities.unreadableFields, 1u) << "a pool's id has two numbers";
    const std::string_view cut = snapshot.string(snapshot.events.metadata[2]);
    EXPECT_TRUE(cut.starts_with("[\"word\",\"word\"") && cut.ends_with("…]")) << cut;
    EXPECT_LT(cut.size(), 1100u);
}

TEST(SnapshotReading, ValuesOfOtherTypesAreLeftOutAndCounted)
{
    const auto read = readPickle(historyPickle(4, [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("action");
        out.text("alloc");
        out.text("addr");
        out.text("no number");
        out.text("size");
        out.number(3.5);
        out.text("frames");
        out.integer(3);
        out.setItems();
        out.integer(7); // not an entry
    }));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ((*read)->events.count(), 1u);
    EXPECT_EQ((*read)->events.size[0], 0);
    EXPECT_EQ((*read)->oddities.unreadableFields, 3u);
    EXPECT_EQ((*read)->oddities.strangeItems, 1u);
}

TEST(SnapshotReading, AnEntryThatAListHoldsTwiceCountsOnce)
{
    const auto read = readPickle(historyPickle(4, [](PickleWriter &out) {
        out.emptyDict();
        const uint32_t entry = out.lastMemo();
        out.mark();
        out.text("action");
        out.text("alloc");
        out.text("size");
        out.integer(1);
        out.setItems();
        beginEntry(out, "alloc", 2, 2);
        out.setItems();
        out.get(entry);
        out.get(entry);
    }));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ((*read)->devices[0].count, 2u);
    EXPECT_EQ((*read)->oddities.repeatedEntries, 2u);
}
