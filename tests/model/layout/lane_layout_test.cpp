// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_layout.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

std::shared_ptr<const Trace> mixedTrace()
{
    SmallTrace trace;
    for (const auto &[tid, name] : std::initializer_list<std::pair<int64_t, const char *>>{
             {300, "thread 300 (worker)"}, {200, "pt_autograd_0"}, {250, "DataLoader 1"}, {100, "thread 100 (python)"}})
        trace.plain(trace.thread(tid, name), "work", "cpu_op", 10, 10);
    trace.kernel(trace.stream(20), "nccl", 0, 10, 0);
    trace.kernel(trace.stream(7), "gemm", 0, 10, 0);
    return trace.seal();
}

std::vector<std::string> titles(const LaneLayout &layout)
{
    std::vector<std::string> out;
    for (const LaneItem &item : layout.items())
        out.push_back(item.title);
    return out;
}

const LaneItem &titled(const LaneLayout &layout, const std::string &title)
{
    for (const auto *section : {&layout.pinned(), &layout.items()})
        for (const LaneItem &item : *section)
            if (item.title == title)
                return item;
    throw std::runtime_error("no lane " + title);
}

TEST(LaneLayout, StreamsComeFirstThenMainAutogradDataLoadingAndOtherThreads)
{
    const LaneLayout layout(setOf(mixedTrace()), {}, {});
    const std::vector<std::string> all = titles(layout);
    ASSERT_EQ(all.size(), 8u);
    EXPECT_EQ(all[0], "GPU 0");
    EXPECT_EQ(all[1], "stream 7");
    EXPECT_EQ(all[2], "stream 20");
    EXPECT_EQ(all[4], "thread 100 (python)");
    EXPECT_EQ(all[5], "pt_autograd_0");
    EXPECT_EQ(all[6], "DataLoader 1");
    EXPECT_EQ(all[7], "thread 300 (worker)");
}

TEST(LaneLayout, StripsLieBelowEachOtherWithoutAGap)
{
    const LaneLayout layout(setOf(mixedTrace()), {}, {});
    int y = 0;
    for (const LaneItem &item : layout.items()) {
        EXPECT_EQ(item.y, y);
        EXPECT_EQ(LaneLayout::at(layout.items(), y), &item);
        EXPECT_EQ(LaneLayout::at(layout.items(), y + item.height - 1), &item);
        y += item.height;
    }
    EXPECT_EQ(layout.height(), y);
    EXPECT_EQ(LaneLayout::at(layout.items(), y), nullptr);
    EXPECT_EQ(LaneLayout::at(layout.items(), -1), nullptr);
}

TEST(LaneLayout, AFoldedGroupShowsOnlyItsHeading)
{
    const TraceSet set = setOf(mixedTrace());
    LaneState state;
    state.folded.insert(titled(LaneLayout(set, {}, {}), "GPU 0").key);
    const LaneLayout layout(set, {}, state);
    EXPECT_EQ(layout.items().size(), 6u);
    EXPECT_TRUE(layout.items()[0].folded);
}

TEST(LaneLayout, PinnedLanesStandInTheirOwnSectionInTheOrderOfPinning)
{
    const TraceSet set = setOf(mixedTrace());
    const LaneLayout plain(set, {}, {});
    LaneState state;
    state.pinned = {titled(plain, "stream 20").key, titled(plain, "pt_autograd_0").key};
    const LaneLayout layout(set, {}, state);
    ASSERT_EQ(layout.pinned().size(), 2u);
    EXPECT_EQ(layout.pinned()[0].title, "stream 20");
    EXPECT_EQ(layout.pinned()[1].title, "pt_autograd_0");
    EXPECT_EQ(layout.pinnedHeight(), layout.pinned()[0].height + layout.pinned()[1].height);
    EXPECT_EQ(layout.items().size(), 6u);
}

TEST(LaneLayout, TheFilterKeepsLanesWhoseNameContainsItWhateverTheCase)
{
    LaneState state;
    state.filter = "AUTOGRAD";
    const LaneLayout layout(setOf(mixedTrace()), {}, state);
    ASSERT_EQ(layout.items().size(), 2u);
    EXPECT_EQ(layout.items()[1].title, "pt_autograd_0");
}

TEST(LaneLayout, HiddenOrderedAndResizedLanesAreWhereTheUserWantsThem)
{
    const TraceSet set = setOf(mixedTrace());
    const LaneLayout plain(set, {}, {});
    LaneState state;
    state.hidden.insert(titled(plain, "DataLoader 1").key);
    state.order[titled(plain, "pt_autograd_0").group] = {titled(plain, "thread 300 (worker)").key};
    state.heights[titled(plain, "stream 7").key] = 66;
    const LaneLayout layout(set, {}, state);
    const std::vector<std::string> all = titles(layout);
    EXPECT_EQ(std::count(all.begin(), all.end(), "DataLoader 1"), 0);
    EXPECT_EQ(all[4], "thread 300 (worker)");
    EXPECT_EQ(all[5], "thread 100 (python)");
    EXPECT_EQ(titled(layout, "stream 7").height, 66);
    EXPECT_EQ(layout.laneCount(), 6u);
}

TEST(LaneLayout, TheThreadWithTheStepsComesFirstThenTheOneThatRunsBackward)
{
    SmallTrace small;
    small.plain(small.thread(1, "other"), "work", "cpu_op", 10, 10);
    small.operation(small.thread(2, "engine"), "autograd::engine::evaluate_function: AddBackward0", 50, 10);
    small.step(small.thread(3, "loop"), 0, 0, 90);
    const std::vector<std::string> all = titles(LaneLayout(setOf(small.seal()), {}, {}));
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[1], "loop");
    EXPECT_EQ(all[2], "engine");
    EXPECT_EQ(all[3], "other");
}

TEST(LaneLayout, TheProfilersOwnWorkComesLast)
{
    const auto trace = importText(R"([{"ph":"X","name":"flush","pid":-1,"tid":0,"ts":1,"dur":1},
        {"ph":"X","name":"work","pid":7,"tid":7,"ts":1,"dur":1}])");
    ASSERT_TRUE(trace);
    const LaneLayout layout(setOf(*trace), {}, {});
    ASSERT_EQ(layout.items().size(), 4u);
    EXPECT_EQ(layout.items()[0].title, "process 7");
    EXPECT_EQ(layout.items()[2].title, "Profiler overhead");
}

TEST(LaneLayout, EveryTraceOfASetHasAHeadingAndKeysOfItsOwn)
{
    TraceSet set = setOf(mixedTrace());
    set.add(set.loaded()[0].trace);
    const LaneLayout layout(set, {}, {});
    EXPECT_EQ(layout.items()[0].title, "Rank 0");
    EXPECT_EQ(layout.items()[9].title, "Rank 1");
    EXPECT_NE(layout.items()[2].key, layout.items()[11].key);
    const LaneRef lane{TraceId(1), layout.items()[11].lane};
    ASSERT_TRUE(layout.find(lane));
    EXPECT_EQ(layout.find(lane)->trace, TraceId(1));
    EXPECT_EQ(laneKeys(set, lane).size(), 4u); // by name, and by rank
}

TEST(LaneLayout, TwoTracesOfOneRankHaveTheirOwnTitlesAndKeys)
{
    TraceSet set = setOf(mixedTrace());
    for (const char *path : {"before.json", "after.json"}) {
        auto trace = std::make_shared<Trace>(*set.loaded()[0].trace);
        trace->info.path = path;
        trace->info.rank = 5;
        set.add(std::move(trace));
    }
    set.remove(TraceId(0));
    const LaneLayout layout(set, {}, {});
    EXPECT_EQ(layout.items()[0].title, "Rank 5 (before.json)");
    EXPECT_EQ(layout.items()[9].title, "Rank 5 (after.json)");
    EXPECT_EQ(layout.items()[0].key, "5:trace") << "as in earlier sessions";
    EXPECT_NE(layout.items()[0].key, layout.items()[9].key);
    EXPECT_NE(layout.items()[2].key, layout.items()[11].key);
}

TEST(LaneLayout, MembersThatAreNotLoadedHaveAHeadingThatSaysWhy)
{
    TraceSet set;
    const TraceId loading = set.expect("a/zero.json"), loaded = set.expect("a/one.json");
    const TraceId failed = set.expect("a/two.json"), unloaded = set.expect("a/three.json");
    set.load(loaded, mixedTrace());
    const std::string before = LaneLayout(set, {}, {}).find({loaded, LaneId(0)})->key;
    set.fail(failed, "a/two.json: This is no trace.");
    set.unload(unloaded);
    const LaneLayout layout(set, {}, {});
    std::vector<std::string> notes;
    for (const LaneItem &item : layout.items())
        if (item.kind == LaneItem::Kind::TraceHeading && item.trace != loaded) {
            EXPECT_FALSE(item.foldable);
            notes.push_back(std::to_string(item.trace.value) + " " + item.note);
        }
    EXPECT_EQ(notes, (std::vector<std::string>{"0 Reading zero.json", "2 Failed: a/two.json: This is no trace.",
                                               "3 Not in memory: click to load three.json"}));
    EXPECT_EQ(layout.items().front().trace, loading);
    set.load(loading, mixedTrace());
    EXPECT_EQ(LaneLayout(set, {}, {}).find({loaded, LaneId(0)})->key, before) << "folds stay when others come";
    LaneState state;
    state.filter = "stream";
    const LaneLayout filtered(set, {}, state);
    for (const LaneItem &item : filtered.items())
        EXPECT_TRUE(set.find(item.trace)) << item.title;
}

TEST(LaneLayout, AMemberAloneThatIsNotLoadedHasNoHeading)
{
    TraceSet set;
    set.expect("a.json");
    EXPECT_TRUE(LaneLayout(set, {}, {}).items().empty());
}

TEST(LaneLayout, WhatProfilersWriteAboutThemselvesIsFoldedUntilItIsUnfolded)
{
    const auto trace = importText(R"json({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":100,"dur":50},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":500},
{"ph":"i","s":"g","name":"Record Window End","pid":"Traces","tid":"Trace PyTorch Profiler","ts":10},
{"ph":"X","cat":"cpu_op","name":"collate","pid":2,"tid":2,"ts":100,"dur":50}]})json");
    ASSERT_TRUE(trace) << trace.error().text();
    const TraceSet set = setOf(*trace);
    LaneState state;
    const LaneLayout layout(set, {}, state);
    EXPECT_TRUE(titled(layout, "Spans").folded);
    EXPECT_TRUE(titled(layout, "Traces").folded);
    const std::vector<std::string> all = titles(layout);
    EXPECT_EQ(std::count(all.begin(), all.end(), "PyTorch Profiler"), 0);
    EXPECT_EQ(std::count_if(layout.items().begin(), layout.items().end(),
                            [](const LaneItem &item) { return item.heading() && item.folded; }),
              2)
        << "a thread with one slice is no less than others";
    state.unfolded.insert(titled(layout, "Spans").key);
    EXPECT_FALSE(titled(LaneLayout(set, {}, state), "Spans").folded);
    EXPECT_TRUE(titled(LaneLayout(set, {}, state), "Traces").folded);
    state.filter = "Trace PyTorch";
    EXPECT_FALSE(titled(LaneLayout(set, {}, state), "Traces").folded) << "what is searched for is shown";
}

TEST(LaneLayout, LanesOfTheHostOpenWithTheirFirstRows)
{
    SmallTrace small;
    const uint32_t main = small.thread(1), gpu = small.stream(7);
    for (int depth = 0; depth < 20; ++depth) {
        small.operation(main, "deep", 10 + depth, 100 - 2 * depth);
        small.plain(gpu, "deep", "gpu_user_annotation", 10 + depth, 100 - 2 * depth);
    }
    const TraceSet set = setOf(small.seal());
    LaneState state;
    const LaneItem thread = titled(LaneLayout(set, {}, state), "thread 1");
    EXPECT_EQ(thread.rows, 8u);
    EXPECT_EQ(thread.hiddenRows, 12u);
    EXPECT_EQ(thread.height, 8 * LaneLayout::kRowHeight + 2 * LaneLayout::kPadding);
    EXPECT_EQ(titled(LaneLayout(set, {}, state), "stream 7").rows, 20u);
    state.whole.insert(thread.key);
    const LaneItem whole = titled(LaneLayout(set, {}, state), "thread 1");
    EXPECT_EQ(whole.rows, 20u);
    EXPECT_EQ(whole.hiddenRows, 0u);
    EXPECT_TRUE(whole.isWhole);
    state.folded.insert(thread.key);
    EXPECT_EQ(titled(LaneLayout(set, {}, state), "thread 1").rows, 1u);
}

TEST(LaneLayout, LanesOfSeveralRanksAreGroupedByNameIfWanted)
{
    const TraceSet set = TraceSet::of({mixedTrace(), mixedTrace()});
    LaneState state;
    state.byName = true;
    const LaneLayout layout(set, {}, state);
    const std::vector<std::string> all = titles(layout);
    const std::vector<std::string> expected{"stream 7",
                                            "Rank 0",
                                            "Rank 1",
                                            "stream 20",
                                            "Rank 0",
                                            "Rank 1",
                                            "threads (python)",
                                            "Rank 0 · thread 100 (python)",
                                            "Rank 1 · thread 100 (python)",
                                            "pt_autograd_0",
                                            "Rank 0",
                                            "Rank 1",
                                            "DataLoader 1",
                                            "Rank 0",
                                            "Rank 1",
                                            "threads (worker)",
                                            "Rank 0 · thread 300 (worker)",
                                            "Rank 1 · thread 300 (worker)"};
    EXPECT_EQ(all, expected);
    for (const LaneItem &item : layout.items())
        if (item.kind == LaneItem::Kind::Slices) {
            EXPECT_EQ(layout.find({item.trace, item.lane}), &item);
        }
    EXPECT_EQ(layout.deviceHeight(), 0);

    // A folded group hides its lanes; the keys above a lane name it.
    const LaneItem &lane = layout.items()[1];
    state.folded.insert(layout.items()[0].key);
    const LaneLayout less(set, {}, state);
    EXPECT_EQ(less.items().size(), layout.items().size() - 2);
    EXPECT_EQ(less.find({lane.trace, lane.lane}), nullptr);
    const std::vector<std::string> keys = laneKeys(set, {lane.trace, lane.lane});
    EXPECT_NE(std::ranges::find(keys, layout.items()[0].key), keys.end());
}

TEST(LaneLayout, ASingleTraceIsNotGroupedByName)
{
    LaneState state;
    state.byName = true;
    EXPECT_EQ(titles(LaneLayout(setOf(mixedTrace()), {}, state)), titles(LaneLayout(setOf(mixedTrace()), {}, {})));
}

} // namespace
} // namespace riffle::test
