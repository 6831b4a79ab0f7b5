// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/tree_pairing.h"

#include "model/analysis/compare/device_comparison.h"
#include "model/analysis/compare/sibling_alignment.h"
#include "model/analysis/facts/trace_facts.h"
#include "tests/model/analysis/compare/naive_pairing.h"
#include "tests/model/analysis/compare/planned_calls.h"
#include "tests/model/analysis/findings/kineto_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

struct PairedTrees {
    TraceFacts factsA, factsB;
    CallShapes a, b;
    TreePairing pairing;

    PairedTrees(std::shared_ptr<const Trace> traceA, std::shared_ptr<const Trace> traceB)
        : factsA(std::move(traceA))
        , factsB(std::move(traceB))
        , a(factsA, factsA.steps())
        , b(factsB, factsB.steps())
        , pairing(a, b)
    {
    }

    /// The leaves as "name>partner", with "-" for no partner; first those of A, then the new ones of B.
    std::string leaves() const
    {
        std::string text;
        for (uint32_t node = 0; node < a.size(); ++node)
            if (a.isWork(node))
                text += a.labelOf(node).text + ">" +
                        (pairing.ofA[node] == TreePairing::kNone ? "-" : b.labelOf(pairing.ofA[node]).text) + " ";
        for (uint32_t node = 0; node < b.size(); ++node)
            if (b.isWork(node) && pairing.ofB[node] == TreePairing::kNone)
                text += "->" + b.labelOf(node).text + " ";
        return text;
    }
};

PairedTrees pairedCalls(const std::vector<PlannedCall> &a, const std::vector<PlannedCall> &b)
{
    PlannedTrace traceA, traceB(50, 700);
    traceA.step(a);
    traceB.step(b);
    return {traceA.seal(), traceB.seal()};
}

/// Partners know each other, are of one kind, and are both leaves or both not; parents' partners are around them.
void expectConsistent(const PairedTrees &trees)
{
    const CallShapes &a = trees.a, &b = trees.b;
    const TreePairing &pairing = trees.pairing;
    ASSERT_EQ(pairing.ofA.size(), a.size());
    ASSERT_EQ(pairing.ofB.size(), b.size());
    for (uint32_t node = 0; node < b.size(); ++node)
        if (pairing.ofB[node] != TreePairing::kNone) {
            ASSERT_EQ(pairing.ofA[pairing.ofB[node]], node);
        }
    for (uint32_t node = 0; node < a.size(); ++node) {
        const uint32_t partner = pairing.ofA[node];
        if (partner == TreePairing::kNone)
            continue;
        ASSERT_EQ(pairing.ofB[partner], node);
        ASSERT_EQ(a.labelOf(node).kind, b.labelOf(partner).kind);
        if (!a.isWork(node) && a.labelOf(node).kind > ShapeKind::Stream) {
            ASSERT_EQ(a.labelOf(node).text, b.labelOf(partner).text);
        }
        uint32_t above = a.parent[node];
        while (above != CallShapes::kNone && pairing.ofA[above] == TreePairing::kNone)
            above = a.parent[above];
        if (above != CallShapes::kNone) { // the lowest common ancestor
            ASSERT_LT(pairing.ofA[above], partner);
            ASSERT_LE(b.end[partner], b.end[pairing.ofA[above]]);
        }
    }
}

TEST(TreePairing, IsThatOfTheRules)
{
    uint64_t pairs = 0, renamed = 0, unpaired = 0;
    for (uint32_t seed = 0; seed < 300; ++seed) {
        CallPlanner planner(seed);
        PlannedTrace planA, planB(9, 300);
        const int steps = 1 + static_cast<int>(planner.upTo(1));
        for (int step = 0; step < steps + static_cast<int>(planner.upTo(9) == 0); ++step) {
            std::vector<PlannedCall> main = planner.calls(6, 3), backward = planner.calls(3, 2);
            planA.step(main, backward);
            if (planner.upTo(2) == 0)
                planA.unlaunched("late", 4);
            planner.change(main, 6 + planner.upTo(30));
            planner.change(backward, 6 + planner.upTo(30));
            if (step < steps)
                planB.step(main, backward);
            if (planner.upTo(2) == 0)
                planB.unlaunched("late", 9);
        }
        const PairedTrees trees(planA.seal(), planB.seal());
        SCOPED_TRACE(seed);
        expectConsistent(trees);
        const NaivePairing naive(trees.a, trees.b);
        for (uint32_t node = 0; node < trees.a.size(); ++node) {
            const auto expected = naive.pairs.find(node);
            ASSERT_EQ(trees.pairing.ofA[node], expected == naive.pairs.end() ? TreePairing::kNone : expected->second)
                << node << ": " << trees.a.labelOf(node).text;
            pairs += expected != naive.pairs.end();
            unpaired += expected == naive.pairs.end();
            renamed +=
                expected != naive.pairs.end() && !trees.pairing.isNamedAlike(trees.a, trees.b, node, expected->second);
        }
    }
    EXPECT_GT(pairs, 3'000u);
    EXPECT_GT(renamed, 50u);
    EXPECT_GT(unpaired, 300u);
}

TEST(TreePairing, RenamesOnlyWithEvidence)
{
    const PlannedCall old = kernelCall("old_gemm", 10), fresh = kernelCall("new_gemm", 12), sum = kernelCall("sum", 1);
    const auto leaves = [](const std::vector<PlannedCall> &a, const std::vector<PlannedCall> &b) {
        return pairedCalls(a, b).leaves();
    };
    // The same operator launches as many kernels, or one of the same kind.
    EXPECT_EQ(leaves({operatorCall("mm", {old, sum})}, {operatorCall("mm", {fresh, sum})}),
              "old_gemm>new_gemm sum>sum ");
    EXPECT_EQ(leaves({operatorCall("mm", {old})}, {operatorCall("mm", {fresh, sum})}), "old_gemm>new_gemm ->sum ");
    EXPECT_EQ(leaves({operatorCall("f", {old, old})}, {operatorCall("f", {fresh, fresh, fresh})}),
              "old_gemm>- old_gemm>- ->new_gemm ->new_gemm ->new_gemm ");
    EXPECT_EQ(leaves({operatorCall("f", {old})}, {operatorCall("f", {sum, sum})}), "old_gemm>- ->sum ->sum ");
    // Another operator between two that pair launches one of the same kind.
    const PlannedCall before = operatorCall("relu", {sum}), behind = operatorCall("add", {sum});
    EXPECT_EQ(leaves({before, operatorCall("linear", {operatorCall("addmm", {old})}), behind},
                     {before, operatorCall("te_linear", {fresh}), behind}),
              "sum>sum old_gemm>new_gemm sum>sum ");
    // Without an operator around them, as many as there were is no evidence.
    EXPECT_EQ(leaves({before, old, old, behind}, {before, sum, fresh, fresh, behind}),
              "sum>sum old_gemm>- old_gemm>- sum>sum ->sum ->new_gemm ->new_gemm ");
    // Nothing alike on the two sides of a call that pairs.
    EXPECT_EQ(leaves({old, before}, {before, fresh}), "old_gemm>- sum>sum ->new_gemm ");
}

TEST(TreePairing, WorkOfAnotherClassIsNotRenamed)
{
    const PlannedCall gemm = kernelCall("old_gemm", 10), otherGemm = kernelCall("new_gemm", 12),
                      flash = kernelCall("flash_a", 3), otherFlash = kernelCall("flash_b", 4),
                      sum = kernelCall("sum", 1);
    const auto leaves = [](const std::vector<PlannedCall> &a, const std::vector<PlannedCall> &b) {
        return pairedCalls({operatorCall("f", a)}, {operatorCall("f", b)}).leaves();
    };
    EXPECT_EQ(leaves({gemm}, {flash}), "old_gemm>- ->flash_a ");
    EXPECT_EQ(leaves({gemm, flash}, {otherFlash, otherGemm}), "old_gemm>new_gemm flash_a>flash_b ");
    EXPECT_EQ(leaves({gemm, gemm, sum}, {flash, flash, sum}), "old_gemm>- old_gemm>- sum>sum ->flash_a ->flash_a ");
    // The name of a kernel of “other compute” does not say what it is.
    EXPECT_EQ(leaves({sum}, {gemm}), "sum>old_gemm ");
}

TEST(TreePairing, KernelsCopiesAndMemsetsAreNotRenamedToEachOther)
{
    using Work = std::pair<const char *, const char *>; // category and name
    const auto traceOf = [](const std::vector<Work> &all) {
        KinetoText text;
        text.step(1, 0, 100'000);
        text.operation("f", 1'000, 90'000);
        Ns at = 2'000;
        for (const auto &[category, name] : all) {
            text.work(category, name, 7, at + 2'000, 500, at);
            at += 4'000;
        }
        return text.trace();
    };
    const auto leaves = [&](const std::vector<Work> &a, const std::vector<Work> &b) {
        const PairedTrees trees(traceOf(a), traceOf(b));
        expectConsistent(trees);
        const NaivePairing naive(trees.a, trees.b);
        for (uint32_t node = 0; node < trees.a.size(); ++node)
            EXPECT_EQ(trees.pairing.ofA[node] != TreePairing::kNone, naive.pairs.contains(node));
        return trees.leaves();
    };
    const Work gemm{"kernel", "old_gemm"}, otherGemm{"kernel", "new_gemm"}, direct{"kernel", "direct_copy_kernel"};
    const Work memset{"gpu_memset", "Memset (Device)"}, upload{"gpu_memcpy", "Memcpy HtoD"},
        download{"gpu_memcpy", "Memcpy DtoH"};
    EXPECT_EQ(leaves({gemm}, {memset}), "old_gemm>- ->Memset (Device) ");
    EXPECT_EQ(leaves({direct}, {upload}), "direct_copy_kernel>- ->Memcpy HtoD ");
    EXPECT_EQ(leaves({upload}, {memset}), "Memcpy HtoD>- ->Memset (Device) ");
    EXPECT_EQ(leaves({upload}, {download}), "Memcpy HtoD>Memcpy DtoH ");
    // Each kind counts for itself.
    EXPECT_EQ(leaves({gemm, gemm, upload}, {download, otherGemm, otherGemm}),
              "old_gemm>new_gemm old_gemm>new_gemm Memcpy HtoD>Memcpy DtoH ");
    EXPECT_EQ(leaves({gemm, gemm, memset}, {otherGemm, upload}),
              "old_gemm>- old_gemm>- Memset (Device)>- ->new_gemm ->Memcpy HtoD ");
}

TEST(TreePairing, RangesAroundAPartOfTheCallsDoNotTearItApart)
{
    const PlannedCall one = operatorCall("one", {kernelCall("first", 1), kernelCall("second", 2)});
    const PlannedCall two = operatorCall("two", {kernelCall("third", 3)});
    EXPECT_EQ(pairedCalls({one, two}, {annotationCall("wrapped", {moduleCall("Net_0", {one}), two})}).leaves(),
              "first>first second>second third>third ");
    EXPECT_EQ(pairedCalls({moduleCall("Net_0", {one}), two}, {moduleCall("Net_1", {one}), two}).leaves(),
              "first>first second>second third>third ");
}

TEST(TreePairing, EqualSiblingsPairByOccurrence)
{
    const PlannedCall mm = operatorCall("mm", {kernelCall("gemm", 1)}),
                      relu = operatorCall("relu", {kernelCall("r", 1)});
    const PairedTrees trees = pairedCalls({mm, mm, relu, mm}, {mm, mm, relu, relu, mm, mm});
    EXPECT_EQ(trees.leaves(), "gemm>gemm gemm>gemm r>r gemm>gemm ->r ->gemm ");
    expectConsistent(trees);
}

/// A flat or deep tree of operators, written without recursion.
std::shared_ptr<const Trace> hostileTrace(uint32_t calls, uint32_t depth, auto nameOf)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), gpu = trace.stream(7);
    trace.annotation(main, "ProfilerStep#1", 0, 10 * Ns{calls} + 4 * Ns{depth});
    for (uint32_t level = 0; level < depth; ++level)
        trace.operation(main, nameOf(level), 1 + level, 10 * Ns{calls} + 4 * Ns{depth} - 2 - 2 * Ns{level});
    for (uint32_t call = 0; call < calls; ++call) {
        const Ns start = depth + 10 * Ns{call} + 1;
        trace.operation(main, nameOf(call), start, 8);
        trace.launch(main, start + 1, 2, call + 1);
        trace.kernel(gpu, "k", start + 3, 1 + call % 7, call + 1);
    }
    return trace.seal();
}

TEST(TreePairing, ASearchThatEndsEarlyIsCounted)
{
    // Ranges of other names around each call, so that each level is searched down to the leaves.
    const auto nested = [](int depth, const std::string &around) {
        std::vector<PlannedCall> calls{operatorCall(around + "in", {kernelCall("k", 1)})};
        for (int level = 0; level < depth; ++level)
            calls = {operatorCall(around + std::to_string(level), {operatorCall("u" + std::to_string(level), calls)})};
        PlannedTrace trace;
        trace.step(calls);
        return trace.seal();
    };
    for (const int depth : {3, 60}) {
        const TraceFacts factsA(nested(depth, "a")), factsB(nested(depth, "b"));
        const Scope a(factsA, {}), b(factsB, {});
        const DeviceComparison comparison(a, b);
        EXPECT_EQ(comparison.pairing().unsearched > 0, depth > 3);
        EXPECT_EQ(comparison.notes().size(), depth > 3 ? 1u : 0u);
    }
}

TEST(TreePairing, HostileTreesStayBounded)
{
    // The sizes are the largest that the sanitizers finish quickly; TreePairingSlow has those of the design.
    std::mt19937 random(5);
    const auto same = [](uint32_t) { return std::string("f"); };
    const auto any = [&](uint32_t) { return "f" + std::to_string(random() % 5); };
    const auto unlike = [&](uint32_t) { return "f" + std::to_string(random()); };
    const PairedTrees alike(hostileTrace(4'000, 1, same), hostileTrace(3'000, 1, same));
    expectConsistent(alike);
    EXPECT_EQ(alike.pairing.rough, 0u); // all equal: heads and tails pair
    const PairedTrees few(hostileTrace(4'000, 1, any), hostileTrace(4'100, 1, any));
    expectConsistent(few);
    EXPECT_EQ(few.pairing.rough, 1u);
    const PairedTrees deep(hostileTrace(1, 2'000, any), hostileTrace(1, 2'100, any));
    expectConsistent(deep);
    const PairedTrees different(hostileTrace(3'000, 2, unlike), hostileTrace(3'000, 2, unlike));
    expectConsistent(different);
}

TEST(TreePairingSlow, HostileTreesStayBounded)
{
    std::mt19937 random(6);
    const auto same = [](uint32_t) { return std::string("f"); };
    const auto any = [&](uint32_t) { return "f" + std::to_string(random() % 5); };
    const auto unlike = [&](uint32_t) { return "f" + std::to_string(random()); };
    expectConsistent({hostileTrace(100'000, 1, same), hostileTrace(99'000, 1, same)});
    expectConsistent({hostileTrace(100'000, 1, any), hostileTrace(100'000, 1, any)});
    expectConsistent({hostileTrace(100'000, 1, unlike), hostileTrace(100'000, 1, unlike)});
    expectConsistent({hostileTrace(1, 10'000, same), hostileTrace(1, 9'990, same)});
    expectConsistent({hostileTrace(1, 10'000, any), hostileTrace(1, 10'000, any)});
    expectConsistent({hostileTrace(100'000, 10'000, unlike), hostileTrace(100'000, 10'000, any)});
}

TEST(SiblingAlignment, RoughPairsAreInOrderAndMany)
{
    std::mt19937 random(1);
    std::vector<Sibling> a, b;
    for (uint32_t at = 0; at < 6'000; ++at)
        a.push_back({at, uint32_t(random() % 9), random()});
    for (const Sibling &one : a) {
        if (random() % 10 != 0)
            b.push_back({one.node, one.label, random()});
        if (random() % 10 == 0)
            b.push_back({0, uint32_t(random() % 9), random()});
    }
    SiblingAlignment alignment;
    const auto pairs = alignment.align(a, b);
    EXPECT_EQ(alignment.rough(), 1u);
    for (size_t at = 0; at < pairs.size(); ++at) {
        EXPECT_EQ(a[pairs[at].first].label, b[pairs[at].second].label);
        if (at > 0) {
            EXPECT_LT(pairs[at - 1].first, pairs[at].first);
            EXPECT_LT(pairs[at - 1].second, pairs[at].second);
        }
    }
    EXPECT_GT(pairs.size(), 5'200u);
    // The table for all siblings would be too large, but not after a second row that differs in few places.
    std::vector<Sibling> c = a;
    c[3'000].label = 77;
    EXPECT_EQ(alignment.align(a, c).size(), 5'999u);
    EXPECT_EQ(alignment.rough(), 1u);
}

} // namespace
} // namespace riffle
