// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/moved_references.h"

#include "model/ingest/collector_log/importer.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/followed_log.h"
#include "tests/support/recorded_log.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace riffle {
namespace {

using test::sliceNamed;

/// A trace with the threads "a" and "b"; `more` slices before the others change all ids.
std::shared_ptr<const Trace> twoThreads(int more, bool withB = true)
{
    test::SmallTrace small;
    if (more > 0) {
        const uint32_t extra = small.thread(9, "extra");
        for (int at = 0; at < more; ++at)
            small.operation(extra, "extra", 10 * at, 5);
    }
    const uint32_t a = small.thread(1, "a");
    small.operation(a, "outer", 1000, 500);
    small.operation(a, "inner", 1000, 100);
    small.operation(a, "inner", 1200, 100);
    if (withB)
        small.operation(small.thread(2, "b"), "inner", 1200, 100);
    return small.seal();
}

LaneId laneNamed(const Trace &trace, std::string_view name)
{
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane)
        if (trace.laneName(LaneId(lane)).find(name) != std::string::npos)
            return LaneId(lane);
    return {};
}

TraceSet after(const TraceSet &before, std::shared_ptr<const Trace> trace)
{
    TraceSet now = before;
    now.load(TraceId(0), std::move(trace));
    return now;
}

TEST(MovedReferences, FindSlicesAndLanesOfATraceThatWasReadAgain)
{
    const auto old = twoThreads(0), fresh = twoThreads(7);
    const TraceSet before = test::setOf(old), now = after(before, fresh);
    const MovedReferences pointers(before, now);
    EXPECT_EQ(pointers.dropped(), (std::vector<TraceId>{TraceId(0)}));
    for (uint32_t id = 0; id < old->sliceCount(); ++id) {
        const SliceRef found = pointers.now(SliceRef{TraceId(0), SliceId(id)});
        ASSERT_TRUE(found.valid()) << id;
        const auto was = *old->slice(SliceId(id)), is = *fresh->slice(found.slice);
        EXPECT_EQ(is.data.start, was.data.start);
        EXPECT_EQ(fresh->string(is.data.name), old->string(was.data.name));
        EXPECT_EQ(is.row, was.row);
        EXPECT_EQ(fresh->laneName(is.lane), old->laneName(was.lane));
    }
    const LaneRef lane = pointers.now(LaneRef{TraceId(0), laneNamed(*old, "b")});
    EXPECT_EQ(lane, (LaneRef{TraceId(0), laneNamed(*fresh, "b")}));
}

TEST(MovedReferences, FindSlicesOfATraceThatHasGrownWhenItsLogIsReadAgain)
{
    const test::LogFolder whole;
    test::writeRecordedLog(whole, 11, test::Calls::HeldBack);
    const auto grown = test::followedLog(whole, {11, 3});
    const auto atOnce = importCollectorLog(whole.path(), {}, {});
    ASSERT_TRUE(grown && atOnce);
    // Nothing but the ids tells that the two were read in different ways.
    auto old = std::make_shared<Trace>(**grown);
    old->info.path = (*atOnce)->info.path;
    const TraceSet before = test::setOf(old), now = after(before, *atOnce);
    const MovedReferences pointers(before, now);
    EXPECT_EQ(pointers.dropped(), (std::vector<TraceId>{TraceId(0)}));
    uint32_t moved = 0;
    for (const auto &segment : old->segments)
        for (uint32_t index = 0; index < segment->size(); ++index) {
            const SliceId id = segment->idAt(index);
            const SliceRef found = pointers.now(SliceRef{TraceId(0), id});
            ASSERT_TRUE(found.valid()) << old->string(segment->slices.name[index]);
            const Slice is = *(*atOnce)->slice(found.slice);
            EXPECT_EQ(is.data.sourceOffset, segment->slices.sourceOffset[index]);
            moved += found.slice != id;
        }
    EXPECT_GT(moved, 0u);
}

/// A recording of the threads "a" and "b", of which so much is there; slices of "b" get the last ids.
std::shared_ptr<const Trace> recorded(int ofA, int ofB)
{
    test::SmallTrace small;
    const uint32_t a = small.thread(1, "a"), b = small.thread(2, "b");
    for (int at = 0; at < ofA; ++at)
        small.operation(a, "one", 1000 * at, 500);
    for (int at = 0; at < ofB; ++at)
        small.operation(b, at % 2 ? "two" : "three", 1000 * at, 500);
    return small.seal(4);
}

TEST(MovedReferences, KeepWhatPointsAtATraceThatHasGrown)
{
    const TraceSet before = test::setOf(recorded(6, 5));
    TraceSet now = before;
    now.grow(TraceId(0), recorded(6, 7), Growing{});
    const MovedReferences pointers(before, now);
    EXPECT_TRUE(pointers.dropped().empty());
    EXPECT_EQ(pointers.grown(), (std::vector<TraceId>{TraceId(0)}));
    EXPECT_EQ(pointers.now(SliceRef{TraceId(0), SliceId(9)}), (SliceRef{TraceId(0), SliceId(9)}));
}

TEST(MovedReferences, TakeNoTraceThatWasReadAgainForOneThatHasGrown)
{
    const TraceSet before = test::setOf(recorded(6, 5)), now = after(before, recorded(6, 7));
    const MovedReferences pointers(before, now);
    EXPECT_EQ(pointers.dropped(), (std::vector<TraceId>{TraceId(0)}));
    EXPECT_TRUE(pointers.grown().empty());
    TraceSet grown = now;
    grown.grow(TraceId(0), recorded(6, 9), std::nullopt);
    EXPECT_EQ(MovedReferences(before, grown).dropped(), (std::vector<TraceId>{TraceId(0)}));
}

TEST(MovedReferences, DropWhatIsGone)
{
    const auto old = twoThreads(0), fresh = twoThreads(0, false);
    const TraceSet before = test::setOf(old), now = after(before, fresh);
    const MovedReferences pointers(before, now);
    const LaneRef a{TraceId(0), laneNamed(*old, "a")}, b{TraceId(0), laneNamed(*old, "b")};
    std::vector<LaneRef> lanes{b, a};
    pointers.update(lanes);
    ASSERT_EQ(lanes.size(), 1u);
    EXPECT_EQ(fresh->laneName(lanes[0].lane), old->laneName(a.lane));
    const auto last = SliceId(static_cast<uint32_t>(old->sliceCount() - 1)); // that of "b"
    EXPECT_FALSE(pointers.now(SliceRef{TraceId(0), last}).valid());
}

TEST(MovedReferences, LeaveOtherMembersAndUnloadedOnesAlone)
{
    TraceSet before = test::setOf(twoThreads(0));
    before.add(twoThreads(3));
    before.add(twoThreads(0));
    TraceSet now = before;
    now.remove(TraceId(0));
    now.unload(TraceId(2));
    const MovedReferences pointers(before, now);
    const SliceRef second{TraceId(1), SliceId(2)}, third{TraceId(2), SliceId(1)};
    EXPECT_FALSE(pointers.now(SliceRef{TraceId(0), SliceId(1)}).valid());
    EXPECT_EQ(pointers.now(second), second);
    EXPECT_EQ(pointers.now(third), third) << "it is there again once the member is loaded";
    EXPECT_EQ(pointers.dropped(), (std::vector<TraceId>{TraceId(0)}));
}

TEST(MovedReferences, DropThoseOfAnUnloadedMemberThatComesBackAsAnotherTrace)
{
    TraceSet unloaded = test::setOf(twoThreads(0));
    unloaded.unload(TraceId(0));
    TraceSet loading = unloaded;
    loading.expectAgain(TraceId(0));
    TraceSet failed = loading;
    failed.fail(TraceId(0), "It cannot be read.");
    const SliceRef slice{TraceId(0), SliceId(1)};
    const LaneRef lane{TraceId(0), LaneId(0)};
    for (const TraceSet &before : {unloaded, loading, failed}) {
        const TraceSet same = after(before, twoThreads(0)), other = after(before, twoThreads(7));
        EXPECT_EQ(MovedReferences(before, same).now(slice), slice);
        EXPECT_EQ(MovedReferences(before, same).now(lane), lane);
        EXPECT_FALSE(MovedReferences(before, other).now(slice).valid());
        EXPECT_FALSE(MovedReferences(before, other).now(lane).lane.valid());
    }
}

} // namespace
} // namespace riffle
