// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_shapes.h"

#include "model/analysis/facts/scope.h"
#include "model/ingest/importer.h"
#include "tests/model/analysis/compare/planned_calls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace riffle {
namespace {

using namespace test;

std::string shapeText(const CallShapes &shapes)
{
    std::string text;
    for (uint32_t node = 1; node < shapes.size(); ++node) {
        for (uint32_t above = shapes.parent[node]; above != 0; above = shapes.parent[above])
            text += "  ";
        text +=
            shapes.labelOf(node).text + (shapes.isWork(node) ? " " + std::to_string(shapes.total(node)) : "") + "\n";
    }
    return text;
}

/// The nodes around a piece of work as the definition has them, found from the trace alone: innermost first.
std::vector<uint32_t> slicesAround(const TraceFacts &facts, const StepSet &steps, size_t at, bool withModules)
{
    const Trace &trace = facts.trace();
    const DeviceWork &work = facts.work();
    const FrameChains &chains = facts.chains();
    const std::set<uint32_t> modules(chains.moduleSlices.begin(), chains.moduleSlices.end());
    const auto stepAt = [&](Ns time) { return steps.marked ? steps.at(time) : 0; };
    const bool isLaunched = work.launch[at] != DeviceWork::kNone;
    std::optional<Slice> slice;
    if (isLaunched)
        slice = trace.slice(SliceId(work.launch[at]));
    else if (work.operation[at] != CallTree::kNone)
        slice = trace.slice(SliceId(facts.calls().slice[work.operation[at]]));
    std::vector<uint32_t> around;
    for (; slice; slice = trace.slice(slice->parent)) {
        const SliceClass kind = facts.classes().of(slice->id.value);
        const bool isModule = withModules && modules.contains(slice->id.value);
        const bool isStep = std::ranges::any_of(steps.steps, [&](const auto &step) { return step.slice == slice->id; });
        if (isStep || !(isModule || kind == SliceClass::Operator || kind == SliceClass::Annotation ||
                        kind == SliceClass::Dataloader))
            continue;
        if (stepAt(slice->data.start) != steps.ofWork[at])
            break;
        around.push_back(slice->id.value);
    }
    return around;
}

/// Every tree is in preorder and has one leaf per work, and times that sum.
void expectTree(const CallShapes &shapes, const Scope &scope)
{
    const DeviceWork &work = scope.facts().work();
    ASSERT_GT(shapes.size(), 0u);
    EXPECT_EQ(shapes.end[0], shapes.size());
    std::vector<uint32_t> leaves(work.size(), 0);
    Ns expected = 0;
    for (uint32_t node = 0; node < shapes.size(); ++node) {
        ASSERT_GT(shapes.end[node], node);
        if (node > 0) {
            ASSERT_LT(shapes.parent[node], node);
            ASSERT_LE(shapes.end[node], shapes.end[shapes.parent[node]]);
        }
        Ns inside = shapes.isWork(node) ? scope.deviceTime(shapes.work[node]) : 0;
        for (uint32_t child = node + 1; child < shapes.end[node]; child = shapes.end[child]) {
            ASSERT_EQ(shapes.parent[child], node);
            inside += shapes.total(child);
        }
        ASSERT_EQ(shapes.total(node), inside);
        if (!shapes.isWork(node))
            continue;
        ASSERT_EQ(shapes.end[node], node + 1);
        ++leaves[shapes.work[node]];
    }
    for (size_t at = 0; at < work.size(); ++at) {
        ASSERT_EQ(leaves[at], scope.begins(at) || scope.deviceTime(at) > 0 ? 1u : 0u);
        expected += scope.deviceTime(at);
    }
    EXPECT_EQ(shapes.total(0), expected);
}

/// Compares the tree of a trace with the definition, and checks the trees of its parts.
void expectShapes(const std::shared_ptr<const Trace> &trace, bool fewWork)
{
    const TraceFacts facts(trace);
    const StepSet &steps = facts.steps();
    const CallShapes shapes(facts, steps);
    expectTree(shapes, Scope(facts, {}));
    for (uint32_t node = 0; node < shapes.size() && fewWork; ++node) {
        if (!shapes.isWork(node))
            continue;
        std::vector<uint32_t> around;
        uint32_t above = shapes.parent[node];
        for (; shapes.slice[above] != CallShapes::kNone && shapes.labelOf(above).kind != ShapeKind::Step;
             above = shapes.parent[above])
            around.push_back(shapes.slice[above]);
        ASSERT_EQ(around, slicesAround(facts, steps, shapes.work[node], true));
        const uint32_t step = shapes.around(node, ShapeKind::Step);
        const uint32_t number = steps.ofWork[shapes.work[node]];
        EXPECT_EQ(shapes.labelOf(step).text == kOutsideSteps, number == StepSet::kNone);
        if (number != StepSet::kNone) {
            EXPECT_EQ(shapes.slice[step], steps.steps[number].slice.value);
        }
    }
    std::vector<ScopeRequest> requests(3);
    const StepSet::Step &middle = steps.steps[steps.steps.size() / 2];
    requests[0].stepNumbers = {middle.number};
    requests[1].steps = TimeSpan{steps.steps.front().number, middle.number};
    const TimeSpan whole = trace->recordedSpan();
    requests[2].range = TimeSpan{whole.begin + whole.duration() / 3, whole.begin + whole.duration() / 2};
    for (const ScopeRequest &request : requests) {
        const Scope scope(facts, request);
        expectTree(scope.everything() ? shapes : CallShapes(shapes, scope), scope);
    }
}

TEST(ShapeLabel, KeepsWhatTellsCallsApart)
{
    const auto named = [](ShapeKind kind, std::string_view name) { return shapeName(kind, name); };
    EXPECT_EQ(named(ShapeKind::Annotation, "train#12"), "train");
    EXPECT_EQ(named(ShapeKind::Annotation, "Iteration 12"), "Iteration");
    EXPECT_EQ(named(ShapeKind::Annotation, "epoch 3 step=441 of run2"), "epoch step of run2");
    EXPECT_EQ(named(ShapeKind::Annotation, "layer_3"), "layer_3");
    EXPECT_EQ(named(ShapeKind::Annotation, "Optimizer.step#SGD.step"), "Optimizer.step#SGD.step");
    EXPECT_EQ(named(ShapeKind::Annotation, "## Call CompiledFxGraph fab3x ##"), "## Call CompiledFxGraph ##");
    EXPECT_EQ(named(ShapeKind::Operator, "step 7"), "step 7");
    EXPECT_EQ(named(ShapeKind::Operator, "call(0x7f3a01c8, 0xdeadbeef0)"), "call(0x…, 0x…)");
    EXPECT_EQ(named(ShapeKind::Kernel, "gemm_128x0x64_120x64320"), "gemm_128x0x64_120x64320");
    EXPECT_EQ(named(ShapeKind::Kernel, "0x"), "0x");
    EXPECT_EQ(named(ShapeKind::Module, "nn.Module: Linear_3"), "nn.Module: Linear_3");
    EXPECT_EQ(threadShapeName("thread 108 (pt_autograd_0)"), "thread (pt_autograd_0)");
    EXPECT_EQ(threadShapeName("thread -4"), "thread");
    EXPECT_EQ(threadShapeName("thread x"), "thread x");
    EXPECT_EQ(threadShapeName("loader 3"), "loader 3");
}

TEST(CallShapes, AreStepsThreadsCallsAndWork)
{
    PlannedTrace plan(7);
    plan.step(
        {annotationCall("forward", {moduleCall("Linear_0", {operatorCall("aten::linear", {operatorCall("aten::t", {}),
                                                                                          kernelCall("sgemm", 30)})})}),
         kernelCall("bare", 3)},
        {operatorCall("MmBackward0", {kernelCall("sgemm_bwd", 50), kernelCall("copy", 2)})});
    plan.between({operatorCall("aten::save", {kernelCall("pack", 4)})});
    plan.unlaunched("late", 5);
    plan.step({operatorCall("aten::relu", {})});
    const TraceFacts facts(plan.seal());
    const CallShapes shapes(facts, facts.steps());
    EXPECT_EQ(shapeText(shapes), R"(step
  main thread
    forward
      nn.Module: Linear_0
        aten::linear
          aten::t
          sgemm 30
    bare 3
  thread (pt_autograd_0)
    MmBackward0
      sgemm_bwd 50
      copy 2
step
  main thread
    aten::relu
outside the steps
  main thread
    aten::save
      pack 4
  stream 7, no launch
    late 5
)");
    EXPECT_TRUE(shapes.hasModules());
    EXPECT_EQ(shapes.total(0), 94);
    EXPECT_EQ(shapes.workCount(), 6u);
    EXPECT_EQ(shapeText(CallShapes(facts, facts.steps(), false)).find("nn.Module"), std::string::npos);
}

TEST(CallShapes, StepsCutWhatIsAroundThemAndWhatCrossesThem)
{
    // The operator starts in the first step and launches in the second one, too. The range is around both.
    SmallTrace trace;
    const uint32_t main = trace.thread(1), other = trace.thread(2), gpu = trace.stream(7);
    trace.step(main, 0, 100, 100);
    trace.step(main, 1, 200, 100);
    trace.annotation(other, "loop", 50, 300);
    trace.operation(other, "aten::crossing", 180, 60);
    trace.launch(other, 185, 5, 1);
    trace.kernel(gpu, "first", 400, 10, 1);
    trace.operation(other, "aten::inner", 205, 20);
    trace.launch(other, 210, 5, 2);
    trace.kernel(gpu, "second", 410, 20, 2);
    const TraceFacts facts(trace.seal());
    const CallShapes shapes(facts, facts.steps());
    EXPECT_EQ(shapeText(shapes), R"(step
  thread
    aten::crossing
      first 10
step
  thread
    aten::inner
      second 20
outside the steps
  thread
    loop
)");
    ScopeRequest request;
    request.stepNumbers = {1};
    EXPECT_EQ(shapeText(CallShapes(shapes, Scope(facts, request))),
              "step\n  thread\n    aten::inner\n      second 20\n");
    request = {};
    request.range = TimeSpan{405, 425};
    EXPECT_EQ(shapeText(CallShapes(shapes, Scope(facts, request))),
              "step\n  thread\n    aten::crossing\n      first 5\nstep\n  thread\n    aten::inner\n      second 15\n");
}

TEST(CallShapes, HashesTellTreesApart)
{
    const auto hashOf = [](const std::vector<PlannedCall> &calls, int step) {
        PlannedTrace plan(step, 100 + step);
        plan.step(calls);
        const TraceFacts facts(plan.seal());
        return CallShapes(facts, facts.steps()).hash[0];
    };
    const PlannedCall one = kernelCall("one", 1), two = kernelCall("two", 2);
    const uint64_t hash = hashOf({operatorCall("a", {one}), operatorCall("b", {two})}, 0);
    EXPECT_EQ(hash, hashOf({operatorCall("a", {kernelCall("one", 70)}), operatorCall("b", {two})}, 5));
    EXPECT_NE(hash, hashOf({operatorCall("b", {two}), operatorCall("a", {one})}, 0));
    EXPECT_NE(hash, hashOf({operatorCall("a", {one, operatorCall("b", {two})})}, 0));
    EXPECT_NE(hash, hashOf({operatorCall("a", {}), one, operatorCall("b", {two})}, 0));
    EXPECT_NE(hash, hashOf({annotationCall("a", {one}), operatorCall("b", {two})}, 0));
}

TEST(CallShapes, RandomCallsAreAsDefined)
{
    for (uint32_t seed = 0; seed < 40; ++seed) {
        CallPlanner planner(seed);
        PlannedTrace plan;
        for (int step = 0; step < 4; ++step) {
            plan.step(planner.calls(4, 3), planner.calls(3, 3));
            if (planner.upTo(1))
                plan.between(planner.calls(3, 2));
            if (planner.upTo(1))
                plan.unlaunched("late", 7);
        }
        SCOPED_TRACE(seed);
        expectShapes(plan.seal(), true);
    }
}

TEST(CallShapes, TracesWithoutStepsAndWithoutAnythingHaveTrees)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), gpu = trace.stream(7);
    trace.operation(main, "aten::mm", 10, 20);
    trace.launch(main, 12, 2, 1);
    trace.kernel(gpu, "sgemm", 20, 5, 1);
    const TraceFacts facts(trace.seal());
    EXPECT_EQ(shapeText(CallShapes(facts, facts.steps())), "step\n  thread\n    aten::mm\n      sgemm 5\n");
    const TraceFacts none(SmallTrace().seal());
    EXPECT_EQ(shapeText(CallShapes(none, none.steps())), "step\n");
}

TEST(CallShapesSlow, RealTracesAreAsDefined)
{
    const char *variable = std::getenv("RIFFLE_TRACES");
    const std::filesystem::path folder = variable ? variable : "../shared/traces";
    if (!std::filesystem::is_directory(folder / "kineto"))
        GTEST_SKIP() << "NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.";
    size_t work = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string path = entry.path().string();
        if (path.find("kineto/") == path.npos && path.find("multirank") == path.npos &&
            path.find("legacy") == path.npos)
            continue;
        const auto trace = importTrace(path, {}, {});
        if (!trace)
            continue;
        SCOPED_TRACE(path);
        const size_t here = TraceFacts(*trace).work().size();
        work += here;
        expectShapes(*trace, here < 5'000);
    }
    EXPECT_GT(work, 10'000u);
}

} // namespace
} // namespace riffle
