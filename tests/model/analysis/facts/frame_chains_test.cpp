// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/frame_chains.h"
#include "model/analysis/facts/trace_facts.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <set>

namespace riffle {
namespace {

using test::SmallTrace;

class Chains {
public:
    explicit Chains(std::shared_ptr<const Trace> trace) : facts(std::move(trace)) {}

    uint32_t call(std::string_view name) const { return callAt(test::sliceNamed(facts.trace(), name)); }
    uint32_t callAt(SliceId slice) const
    {
        const auto &slices = facts.calls().slice;
        const auto found = std::lower_bound(slices.begin(), slices.end(), slice.value);
        return found != slices.end() && *found == slice.value ? static_cast<uint32_t>(found - slices.begin())
                                                              : CallTree::kNone;
    }
    std::string stack(std::string_view name) const
    {
        return facts.chains().stackText(facts.trace(), facts.chains().stackOf(call(name)));
    }
    std::string module(std::string_view name) const
    {
        return facts.chains().modulePath(facts.trace(), facts.chains().moduleOf(call(name)));
    }
    StackOrigin origin(std::string_view name) const { return facts.chains().originOf(call(name)); }

    TraceFacts facts;
};

TEST(FrameChains, AStackIsTheFramesAroundWhateverElseIsBetween)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    trace.frame(lane, "train.py(1): main", 0, 1000);
    trace.step(lane, 0, 10, 900);
    trace.frame(lane, "nn.Module: Net_0", 20, 800, 0);
    trace.frame(lane, "net.py(5): forward", 30, 700);
    trace.operation(lane, "aten::linear", 40, 100);
    trace.operation(lane, "aten::addmm", 50, 50);
    trace.frame(lane, "nn.Module: ReLU_0", 200, 100, 1);
    trace.operation(lane, "aten::relu", 210, 50);
    trace.operation(lane, "aten::outside", 2000, 50);
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.stack("aten::linear"), "net.py(5): forward;nn.Module: Net_0;train.py(1): main");
    EXPECT_EQ(chains.stack("aten::addmm"), chains.stack("aten::linear"));
    EXPECT_EQ(chains.origin("aten::addmm"), StackOrigin::Own);
    EXPECT_EQ(chains.module("aten::addmm"), "Net_0");
    EXPECT_EQ(chains.module("aten::relu"), "Net_0/ReLU_0");
    EXPECT_EQ(chains.stack("aten::outside"), "");
    EXPECT_EQ(chains.origin("aten::outside"), StackOrigin::None);
    EXPECT_EQ(chains.facts.chains().stackText(chains.facts.trace(),
                                              chains.facts.chains().stackOf(chains.call("aten::relu")), 2),
              "nn.Module: ReLU_0;net.py(5): forward;…");
}

TEST(FrameChains, EqualStacksAreOneAndModulesAreToldApartByTheirIds)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1), other = trace.thread(2);
    const int64_t ids[] = {7, 7, 8};
    for (int at = 0; at < 3; ++at) {
        trace.frame(lane, "nn.Module: Linear_0", at * 100, 90, ids[at]);
        trace.frame(lane, "linear.py(1): forward", at * 100 + 1, 80);
        trace.operation(lane, "aten::linear", at * 100 + 2, 10);
    }
    trace.frame(other, "nn.Module: Linear_0", 50, 90, 7);
    const Chains chains(trace.seal(2)); // the chains cross segments
    EXPECT_EQ(chains.facts.chains().modules.size(), 2u);
    EXPECT_EQ(chains.facts.chains().frames.size(), 4u);
    EXPECT_EQ(chains.facts.chains().moduleSlices.size(), 4u);
    std::set<uint32_t> stacks;
    for (uint32_t call = 0; call < chains.facts.calls().size(); ++call)
        stacks.insert(chains.facts.chains().stackOf(call));
    EXPECT_EQ(stacks.size(), 2u);
}

TEST(FrameChains, ABackwardOperatorWithoutFramesHasThoseOfTheLastForwardOperatorWithItsNumber)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2);
    trace.frame(main, "nn.Module: Early_0", 0, 100, 0);
    trace.numbered(main, "aten::early", 10, 20, 5);
    trace.frame(main, "nn.Module: Late_0", 200, 100, 1);
    trace.numbered(main, "aten::late", 210, 80, 5);
    trace.frame(main, "nn.Module: Inner_0", 210, 50, 2);
    trace.numbered(main, "aten::deep", 210, 30, 5);
    trace.numbered(autograd, "BackwardEarly", 150, 10, 5, 1); // the later ones have not started
    trace.numbered(autograd, "Backward", 500, 100, 5, 1);
    trace.operation(autograd, "aten::mul", 510, 50);
    trace.operation(autograd, "aten::copy", 520, 10);
    trace.numbered(autograd, "BackwardNothing", 700, 50, 6, 1);
    trace.operation(autograd, "aten::lost", 710, 10);
    trace.numbered(main, "aten::late_one", 900, 10, 6); // starts after the operator above
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.module("BackwardEarly"), "Early_0");
    EXPECT_EQ(chains.module("Backward"), "Late_0/Inner_0");
    EXPECT_EQ(chains.origin("Backward"), StackOrigin::Forward);
    EXPECT_EQ(chains.module("aten::copy"), "Late_0/Inner_0");
    EXPECT_EQ(chains.origin("aten::copy"), StackOrigin::Inherited);
    EXPECT_TRUE(chains.facts.chains().isBackward(chains.facts.calls(), chains.call("aten::copy")));
    EXPECT_FALSE(chains.facts.chains().isBackward(chains.facts.calls(), chains.call("aten::deep")));
    EXPECT_EQ(chains.origin("BackwardNothing"), StackOrigin::None);
    EXPECT_EQ(chains.origin("aten::lost"), StackOrigin::None);
}

TEST(FrameChains, OwnFramesComeFirstAndWithoutAForwardStackThatOfTheOperatorAround)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2);
    trace.frame(main, "nn.Module: Net_0", 0, 100, 0);
    trace.numbered(main, "aten::mm", 10, 20, 1);
    trace.numbered(main, "aten::bare", 150, 20, 2);
    trace.numbered(autograd, "CheckpointBackward", 300, 300, 1, 1);
    trace.numbered(autograd, "BareBackward", 310, 20, 2, 1);       // its forward operator has no frames
    trace.frame(autograd, "nn.Module: Recomputed_0", 400, 100, 3); // inside the backward operator
    trace.numbered(autograd, "aten::again", 410, 20, 1, 1);        // its number would lead to another operator
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.module("CheckpointBackward"), "Net_0");
    EXPECT_EQ(chains.module("BareBackward"), "Net_0");
    EXPECT_EQ(chains.origin("BareBackward"), StackOrigin::Inherited);
    EXPECT_EQ(chains.module("aten::again"), "Recomputed_0");
    EXPECT_EQ(chains.origin("aten::again"), StackOrigin::Own);
}

TEST(FrameChains, OfSeveralForwardThreadsTheOneWithMostPartnersCounts)
{
    SmallTrace trace;
    const uint32_t first = trace.thread(1), second = trace.thread(2), autograd = trace.thread(3);
    trace.frame(first, "nn.Module: First_0", 0, 1000, 0);
    trace.frame(second, "nn.Module: Second_0", 0, 1000, 1);
    trace.numbered(first, "a1", 10, 10, 1);
    trace.numbered(second, "b1", 20, 10, 1); // later, so that it would win
    trace.numbered(first, "a2", 40, 10, 2);
    trace.numbered(autograd, "back1", 2000, 10, 1, 77);
    trace.numbered(autograd, "back2", 2020, 10, 2, 77);
    trace.numbered(autograd, "back3", 2040, 10, 1, 78); // one vote each: the thread that starts first wins
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.module("back1"), "First_0");
    EXPECT_EQ(chains.module("back2"), "First_0");
    EXPECT_EQ(chains.module("back3"), "First_0");
}

TEST(FrameChains, AFrameThatCrossesOthersIsAroundWhatIsInside)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    trace.frame(lane, "main.py(1): main", 0, 1000);
    trace.frame(lane, "nn.Module: Long_0", 100, 500, 0);
    trace.frame(lane, "nn.Module: Crossing_0", 400, 300, 1); // ends after Long_0
    trace.frame(lane, "inner.py(1): f", 610, 80);
    trace.operation(lane, "aten::add", 620, 10);
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.stack("aten::add"), "inner.py(1): f;nn.Module: Crossing_0;main.py(1): main");
    EXPECT_EQ(chains.module("aten::add"), "Crossing_0");
}

TEST(FrameChains, DeviceWorkHasTheStackOfItsOperatorElseOfItsLaunch)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1), gpu = trace.stream(7);
    trace.frame(lane, "nn.Module: Net_0", 0, 1000, 0);
    trace.operation(lane, "aten::mm", 10, 200);
    trace.frame(lane, "nn.Module: Hook_0", 20, 100,
                1); // Python inside the operator: its work still belongs to the operator
    trace.launch(lane, 30, 10, 1);
    trace.launch(lane, 300, 10, 2);
    trace.kernel(gpu, "gemm", 400, 50, 1);
    trace.kernel(gpu, "triton", 500, 50, 2);
    trace.kernel(gpu, "lost", 600, 50, 3);
    const Chains chains(trace.seal());
    const TraceFacts &facts = chains.facts;
    std::vector<std::string> modules;
    for (size_t at = 0; at < facts.work().size(); ++at)
        modules.push_back(facts.chains().modulePath(
            facts.trace(), facts.chains().moduleOf(FrameChains::callOf(facts.work(), facts.calls(), at))));
    EXPECT_EQ(modules, (std::vector<std::string>{"Net_0", "Net_0", ""}));
}

TEST(FrameChains, LightningsRangesAreModulesByTheirDots)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    trace.plain(lane, "[pl][profile]training_step", "user_annotation", 0, 1000);
    trace.plain(lane, "[pl][module]torch.nn.Sequential: layers.0", "user_annotation", 10, 500);
    trace.plain(lane, "[pl][module]torch.nn.Linear: layers.0.fc", "user_annotation", 20, 100);
    trace.operation(lane, "aten::linear", 30, 10);
    trace.plain(lane, "[pl][module]torch.nn.Linear: head", "cpu_op", 600, 100); // as old profilers write them
    trace.operation(lane, "aten::addmm", 610, 10);
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.module("aten::linear"), "training_step/layers/0/fc");
    EXPECT_EQ(chains.module("aten::addmm"), "training_step/head");
    EXPECT_EQ(chains.module("[pl][module]torch.nn.Linear: head"), "training_step");
    EXPECT_EQ(chains.facts.chains().moduleSlices.size(), 4u);
    EXPECT_EQ(chains.facts.chains().modules.size(), 5u); // "layers" was never called
}

TEST(FrameChains, LightningsRangesAreNothingBesideModules)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    trace.plain(lane, "[pl][module]torch.nn.Linear: head", "user_annotation", 0, 100);
    trace.frame(lane, "nn.Module: Linear_0", 10, 50, 0);
    trace.operation(lane, "aten::linear", 20, 10);
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.module("aten::linear"), "Linear_0");
    EXPECT_EQ(chains.facts.chains().modules.size(), 1u);
}

TEST(FrameChains, WhereNoFramesAreTheArgumentsOfTorchScriptCount)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    const char *args =
        R"({"Call stack": "a.py(1): f;b.py(2): g", "Module Hierarchy": "TOP(__torch__.Net)::forward.fc(__torch__.Linear)::forward"})";
    trace.operation(lane, "aten::linear", 0, 100, args, true);
    trace.operation(lane, "aten::addmm", 10, 50, R"({"Call stack": ""})", true);
    trace.operation(lane, "aten::other", 200, 50, R"({"Call stack": "b.py(2): g"})", true);
    trace.operation(lane, "aten::none", 300, 50, R"({"Call stack": ""})", true);
    const Chains chains(trace.seal());
    EXPECT_EQ(chains.stack("aten::linear"), "a.py(1): f;b.py(2): g");
    EXPECT_EQ(chains.module("aten::linear"), "TOP(__torch__.Net)/fc(__torch__.Linear)");
    EXPECT_EQ(chains.origin("aten::addmm"), StackOrigin::Inherited);
    EXPECT_EQ(chains.module("aten::addmm"), "TOP(__torch__.Net)/fc(__torch__.Linear)");
    EXPECT_EQ(chains.stack("aten::other"), "b.py(2): g");
    EXPECT_EQ(chains.module("aten::other"), "");
    EXPECT_EQ(chains.origin("aten::none"), StackOrigin::None);
}

TEST(FrameChains, WithoutAnyNothingIsKept)
{
    SmallTrace trace;
    trace.operation(trace.thread(1), "aten::add", 0, 10);
    const Chains chains(trace.seal());
    EXPECT_TRUE(chains.facts.chains().empty());
    EXPECT_EQ(chains.stack("aten::add"), "");
}

} // namespace
} // namespace riffle
