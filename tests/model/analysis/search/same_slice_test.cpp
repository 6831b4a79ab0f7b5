// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/same_slice.h"

#include "tests/model/analysis/compare/planned_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace riffle {
namespace {

using namespace test;
using testing::ElementsAre;

PlannedCall blockCall(int index, const char *gemm)
{
    const PlannedCall mm = operatorCall("aten::mm", {kernelCall(gemm, 20)});
    return moduleCall("Block_" + std::to_string(index),
                      {operatorCall("aten::linear", {mm, mm}), operatorCall("aten::relu", {kernelCall("relu", 3)})});
}

std::shared_ptr<const Trace> rankTrace(int steps, int first, int64_t thread, bool wrapped = false)
{
    PlannedTrace plan(first, thread);
    plan.unlaunched("fill", 2);
    for (int step = 0; step < steps; ++step) {
        std::vector<PlannedCall> calls{blockCall(0, "gemm"), blockCall(1, "gemm")};
        if (wrapped)
            calls = {annotationCall("iteration " + std::to_string(step), calls)};
        plan.step(calls, {operatorCall("MmBackward0", {operatorCall("aten::mm", {kernelCall("gemm", 9)})})});
    }
    plan.between({operatorCall("aten::save", {})});
    return plan.seal();
}

/// The n-th slice with a name in the order of starts, counted from 0.
SliceId nthNamed(const Trace &trace, std::string_view name, size_t n)
{
    std::set<std::pair<Ns, uint32_t>> found;
    for (uint32_t id = 0; id < trace.sliceCount(); ++id)
        if (const auto slice = trace.slice(SliceId(id)); trace.string(slice->data.name) == name)
            found.emplace(slice->data.start, id);
    return SliceId(std::next(found.begin(), static_cast<ptrdiff_t>(n))->second);
}

std::string whyNot(const std::shared_ptr<const Trace> &from, SliceId slice, const Trace &to, SameStepBy by)
{
    const auto found = sliceAtPlace(to, to.steps, *callPlaceOf(*from, from->steps, slice), by);
    return found ? "found" : found.error().message;
}

TEST(SameSlice, KnowsItsStepItsPathAndHowManyAreBefore)
{
    const auto trace = rankTrace(3, 7, 100);
    const auto kernel = callPlaceOf(*trace, trace->steps, nthNamed(*trace, "gemm", 8)); // step 1: 5 a step
    ASSERT_TRUE(kernel);
    EXPECT_THAT(kernel->path, ElementsAre("nn.Module: Block_1", "aten::linear", "aten::mm", "gemm"));
    EXPECT_EQ(kernel->occurrence, 1u);
    EXPECT_EQ(kernel->step->offset, 1u);
    EXPECT_EQ(kernel->step->number, 8);
    EXPECT_TRUE(kernel->isOnStream && kernel->isLaunched);
    EXPECT_EQ(kernel->thread, "main thread");
    const auto backward = callPlaceOf(*trace, trace->steps, nthNamed(*trace, "gemm", 9));
    EXPECT_THAT(backward->path, ElementsAre("MmBackward0", "aten::mm", "gemm"));
    EXPECT_EQ(backward->thread, "thread (pt_autograd_0)");
    const auto unlaunched = callPlaceOf(*trace, trace->steps, nthNamed(*trace, "fill", 0));
    EXPECT_THAT(unlaunched->path, ElementsAre("stream 7", "fill"));
    EXPECT_FALSE(unlaunched->isLaunched);
    const auto outside = callPlaceOf(*trace, trace->steps, nthNamed(*trace, "aten::save", 0));
    EXPECT_THAT(outside->path, ElementsAre("aten::save"));
    EXPECT_FALSE(outside->step);
    EXPECT_FALSE(callPlaceOf(*trace, trace->steps, SliceId(1'000'000)));
    EXPECT_FALSE(callPlaceOf(*trace, trace->steps, SliceId()));
}

TEST(SameSlice, EverySliceIsFoundInItselfInAnotherRankAndInTheNextStep)
{
    const auto trace = rankTrace(3, 7, 100), other = rankTrace(3, 7, 4'000);
    for (uint32_t id = 0; id < trace->sliceCount(); ++id) {
        auto place = callPlaceOf(*trace, trace->steps, SliceId(id));
        ASSERT_TRUE(place);
        const auto itself = sliceAtPlace(*trace, trace->steps, *place);
        ASSERT_TRUE(itself) << itself.error().message;
        EXPECT_EQ(*itself, SliceId(id));
        // The other trace was written in the same way, so ids are equal.
        for (const SameStepBy by : {SameStepBy::Offset, SameStepBy::Number})
            EXPECT_EQ(*sliceAtPlace(*other, other->steps, *place, by), SliceId(id));
        if (!place->step || place->step->offset == 2 || place->path.back() == "fill") // there is only one of these
            continue;
        ++place->step->offset;
        const auto next = sliceAtPlace(*trace, trace->steps, *place);
        ASSERT_TRUE(next) << next.error().message;
        EXPECT_GT(trace->slice(*next)->data.start, trace->slice(SliceId(id))->data.start);
        EXPECT_EQ(callPlaceOf(*trace, trace->steps, *next)->path, place->path);
    }
}

TEST(SameSlice, IsFoundInTheNextRankOrStep)
{
    const auto first = rankTrace(3, 7, 100), second = rankTrace(3, 7, 4'000), later = rankTrace(2, 9, 100);
    TraceSet set = TraceSet::of({first, second, later});
    PerTrace<std::vector<Step>> steps;
    for (const LoadedTrace &member : set.loaded())
        steps[member.id] = member.trace->steps;
    const auto whereTo = [&](uint32_t trace, SliceId slice, int direction) {
        const auto found = sameSliceElsewhere(set, steps, {TraceId(trace), slice}, direction);
        return found ? found->trace.value : 99;
    };
    const SliceId early = nthNamed(*first, "gemm", 1), last = nthNamed(*first, "gemm", 11);
    const SliceRef found = *sameSliceElsewhere(set, steps, {TraceId(0), early}, 1);
    EXPECT_EQ(found, (SliceRef{TraceId(1), early})); // written in the same way, so the ids are equal
    EXPECT_EQ(whereTo(1, early, 1), 2u);
    EXPECT_EQ(whereTo(0, early, -1), 2u); // around the end
    EXPECT_EQ(whereTo(1, last, 1), 0u);   // the one between has only two steps
    EXPECT_EQ(whereTo(0, SliceId(), 1), 99u);

    set.remove(TraceId(1));
    EXPECT_EQ(sameSliceElsewhere(set, steps, {TraceId(0), last}, 1).error().message,
              set.title(TraceId(2)) + ": The slice is in step 3 from the first one, and the other trace has only 2.");
    set.unload(TraceId(2)); // alone, so the steps are the others
    const auto next = sameSliceElsewhere(set, steps, {TraceId(0), early}, 1);
    ASSERT_TRUE(next);
    EXPECT_EQ(callPlaceOf(*first, first->steps, next->slice)->step->number, 8);
    EXPECT_EQ(sameSliceElsewhere(set, steps, *next, -1)->slice, early);
    EXPECT_EQ(sameSliceElsewhere(set, steps, {TraceId(0), early}, -1).error().message,
              "The slice is in the first step, and no other trace is open.");
    EXPECT_EQ(sameSliceElsewhere(set, steps, {TraceId(0), last}, 1).error().message,
              "The slice is in the last step, and no other trace is open.");
    EXPECT_EQ(sameSliceElsewhere(set, steps, {TraceId(0), nthNamed(*first, "aten::save", 0)}, 1).error().message,
              "The slice is in no step, and no other trace is open.");
}

TEST(SameSlice, SaysWhyThereIsNone)
{
    const auto trace = rankTrace(3, 7, 100), later = rankTrace(2, 8, 100), wrapped = rankTrace(3, 7, 100, true);
    const SliceId first = nthNamed(*trace, "gemm", 1), last = nthNamed(*trace, "gemm", 11);
    const auto offset = SameStepBy::Offset, number = SameStepBy::Number;
    EXPECT_EQ(whyNot(trace, first, *later, offset), "found");
    EXPECT_EQ(whyNot(trace, first, *later, number), "The other trace has no step 7.");
    EXPECT_EQ(whyNot(trace, last, *later, number), "found");
    EXPECT_EQ(whyNot(trace, last, *later, offset),
              "The slice is in step 3 from the first one, and the other trace has only 2.");
    EXPECT_EQ(whyNot(trace, first, *wrapped, offset),
              "“gemm” occurs in step 7 of the other trace, but not with the path “nn.Module: Block_0 › aten::linear › "
              "aten::mm › gemm”.");

    PlannedTrace few(7);
    few.step(
        {moduleCall("Block_0", {operatorCall("aten::linear", {operatorCall("aten::mm", {kernelCall("gemm", 1)})})}),
         annotationCall("range", {operatorCall("aten::relu", {})})});
    const auto one = few.seal();
    EXPECT_EQ(whyNot(trace, first, *one, offset),
              "“gemm” has this path only 1 time in step 7 of the other trace, and this is number 2.");
    EXPECT_EQ(whyNot(trace, nthNamed(*trace, "MmBackward0", 0), *one, offset),
              "“MmBackward0” does not occur in step 7 of the other trace.");
    EXPECT_EQ(whyNot(one, nthNamed(*one, "aten::relu", 0), *trace, offset),
              "“aten::relu” occurs in step 7 of the other trace, but not with the path “range › aten::relu”.");
    EXPECT_EQ(whyNot(trace, nthNamed(*trace, "aten::save", 0), *one, offset),
              "“aten::save” does not occur outside the steps of the other trace.");

    SmallTrace without;
    without.operation(without.thread(5), "aten::relu", 10, 5);
    const auto none = without.seal();
    EXPECT_EQ(whyNot(trace, first, *none, offset), "The other trace has no steps.");
    EXPECT_EQ(whyNot(none, SliceId(0), *none, offset), "found");
    EXPECT_EQ(sliceAtPlace(*none, none->steps, CallPlace()).error().message, "The place has no name.");
}

TEST(SameSlice, FramesAndNumbersOfStepsDoNotMatter)
{
    SmallTrace plain, framed;
    const uint32_t a = plain.thread(1, "python"), b = framed.thread(9, "worker");
    plain.annotation(a, "batch 3", 100, 50);
    plain.operation(a, "aten::mm", 110, 10);
    framed.frame(b, "train.py(3): main", 0, 500);
    framed.annotation(b, "batch 77", 20, 100);
    framed.frame(b, "train.py(9): step", 25, 80);
    framed.operation(b, "aten::mm", 30, 10);
    const auto from = plain.seal(), to = framed.seal();
    const auto found =
        sliceAtPlace(*to, {}, *callPlaceOf(*from, {}, sliceNamed(*from, "aten::mm"))); // no thread has that name
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, sliceNamed(*to, "aten::mm"));
    // A frame is found by what is around it.
    const SliceId frame = sliceNamed(*to, "train.py(9): step");
    EXPECT_THAT(callPlaceOf(*to, {}, frame)->path, ElementsAre("batch", "train.py(9): step"));
    EXPECT_EQ(*sliceAtPlace(*to, {}, *callPlaceOf(*to, {}, frame)), frame);
}

} // namespace
} // namespace riffle
