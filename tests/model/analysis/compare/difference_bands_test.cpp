// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/difference_bands.h"

#include "tests/model/analysis/compare/planned_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace riffle {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

struct PlannedPair {
    std::shared_ptr<const Trace> a, b;
    TraceFacts factsA{a}, factsB{b};
    Scope scopeA{factsA, {}, TraceId(0)}, scopeB{factsB, {}, TraceId(1)};
    DeviceComparison comparison{scopeA, scopeB};

    PlannedPair(const std::vector<PlannedCall> &before, const std::vector<PlannedCall> &after)
        : a(sealed(before, 0))
        , b(sealed(after, 5))
    {
    }
    static std::shared_ptr<const Trace> sealed(const std::vector<PlannedCall> &calls, int step)
    {
        PlannedTrace plan(step, 100);
        plan.step(calls);
        return plan.seal();
    }
};

std::string sliceName(const Trace &trace, SliceId slice)
{
    const auto found = trace.slice(slice);
    return found ? std::string(trace.string(found->data.name)) : "none";
}

/// The name of a band with plain spaces.
std::string nameOf(const BandTrack &track, uint32_t band)
{
    std::string name = track.nameOf(band);
    const std::string unbreakable = "\u00a0";
    for (size_t at = name.find(unbreakable); at != std::string::npos; at = name.find(unbreakable))
        name.replace(at, unbreakable.size(), " ");
    return name;
}

/// "Longer in B: +30 ns gemm", one text per band.
std::vector<std::string> bandTexts(const Trace &trace, const std::vector<std::shared_ptr<const BandTrack>> &tracks)
{
    std::vector<std::string> texts;
    for (const auto &track : tracks)
        for (uint32_t band = 0; band < track->bands->size(); ++band)
            texts.push_back(fmt::format("{}{}: {} {}", track->title, track->hatched ? " (hatched)" : "",
                                        nameOf(*track, band), sliceName(trace, track->slices[band])));
    return texts;
}

TEST(DifferenceBands, EachChangeIsABandOnTheSidesThatHaveIt)
{
    const PlannedPair pair(
        {operatorCall("aten::mm", {kernelCall("gemm", 100)}), operatorCall("aten::add", {kernelCall("add", 50)}),
         operatorCall("aten::tanh", {kernelCall("tanh", 20)}), operatorCall("aten::exp", {kernelCall("exp", 7)})},
        {operatorCall("aten::mm", {kernelCall("gemm", 130)}), operatorCall("aten::add", {kernelCall("add_fast", 40)}),
         operatorCall("aten::exp", {kernelCall("exp", 7)}), operatorCall("aten::sigmoid", {kernelCall("sigmoid", 5)})});
    const DifferenceBands bands = differenceBands(pair.comparison);
    EXPECT_THAT(bandTexts(*pair.a, bands.sides[0]),
                ElementsAre("Longer in B (hatched): +30 ns gemm", "Shorter in B: −10 ns add",
                            "Shorter in B: gone −20 ns tanh"));
    EXPECT_THAT(bandTexts(*pair.b, bands.sides[1]),
                ElementsAre("Longer in B (hatched): +30 ns gemm", "Longer in B (hatched): new +5 ns sigmoid",
                            "Shorter in B: −10 ns add_fast"));
    for (const auto &side : bands.sides)
        for (const auto &track : side) {
            EXPECT_EQ(track->device, 0);
            EXPECT_EQ(track->hatched, track->tone == BandTrack::Tone::Longer);
            EXPECT_EQ(track->bands->rows(), 1u);
        }
    const DifferenceBands same = differenceBands(DeviceComparison(pair.scopeA, pair.scopeA));
    EXPECT_THAT(same.sides[0], IsEmpty());
    EXPECT_THAT(same.sides[1], IsEmpty());
}

TEST(DifferenceBands, WorkThatRunsAtTheSameTimeIsOneBand)
{
    const auto sealed = [](Ns first, Ns second, Ns third) {
        SmallTrace trace;
        const uint32_t thread = trace.thread(1);
        trace.operation(thread, "aten::mm", 0, 100);
        const std::pair<int64_t, Ns> kernels[] = {{7, first}, {8, second}, {7, third}};
        int64_t correlation = 0;
        for (const auto &[stream, length] : kernels) {
            ++correlation;
            trace.launch(thread, 10 * correlation, 5, correlation);
            trace.kernel(trace.stream(stream), "gemm", correlation == 3 ? 5'000 : 1'000 + 10 * correlation, length,
                         correlation);
        }
        return trace.seal();
    };
    const TraceFacts a(sealed(100, 200, 300)), b(sealed(140, 250, 301));
    const Scope scopeA(a, {}), scopeB(b, {});
    const DifferenceBands bands = differenceBands(DeviceComparison(scopeA, scopeB));
    ASSERT_EQ(bands.sides[1].size(), 1u);
    const BandTrack &longer = *bands.sides[1].front();
    ASSERT_EQ(longer.bands->size(), 2u);
    EXPECT_EQ(nameOf(longer, 0), "+90 ns");
    EXPECT_EQ(nameOf(longer, 1), "+1 ns");
    EXPECT_EQ(longer.bands->slices.start[0], 1'010);
    EXPECT_EQ(longer.bands->end(0), 1'270);
    const auto data = b.trace().slice(longer.slices[0]);
    ASSERT_TRUE(data);
    EXPECT_EQ(data->data.duration, 250); // the larger change
}

TEST(PartnerSlices, AreThoseOfThePairing)
{
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        CallPlanner planner(seed);
        const PlannedPair pair(planner.calls(6, 3), planner.calls(6, 3));
        const PartnerSlices partners(pair.comparison);
        const CallShapes &a = pair.comparison.a(), &b = pair.comparison.b();
        std::map<uint32_t, uint32_t> known; // by a plain walk over the pairs
        for (uint32_t node = 0; node < a.size(); ++node)
            if (const uint32_t partner = pair.comparison.pairing().ofA[node];
                partner != TreePairing::kNone && a.slice[node] != CallShapes::kNone)
                known[a.slice[node]] = b.slice[partner];
        for (uint32_t id = 0; id < pair.a->sliceCount(); ++id) {
            const SliceId partner = partners.of(0, SliceId(id));
            ASSERT_EQ(partner.valid(), known.contains(id)) << seed;
            if (!partner.valid())
                continue;
            EXPECT_EQ(partner.value, known[id]);
            EXPECT_EQ(partners.of(1, partner), SliceId(id));
        }
    }
}

} // namespace
} // namespace riffle
