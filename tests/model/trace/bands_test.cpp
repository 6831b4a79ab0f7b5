// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/bands.h"

#include "model/base/big_vector.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(Bands, StandInAsManyRowsAsOverlap)
{
    BandTrack track;
    track.names = {"a", "b"};
    const auto made = bandTrack(
        track, {{{50, 60}, 1, SliceId(5)}, {{0, 10}, 0, SliceId(1)}, {{5, 20}, 1, SliceId(2)}, {{10, 30}, 0, {}}});
    const Segment &bands = *made->bands;
    ASSERT_EQ(bands.size(), 4u);
    ASSERT_EQ(bands.rows(), 2u);
    EXPECT_EQ(bands.span, (TimeSpan{0, 60}));
    for (uint32_t row = 0; row < bands.rows(); ++row)
        for (uint32_t at = bands.rowBegin[row] + 1; at < bands.rowBegin[row + 1]; ++at)
            EXPECT_GE(bands.slices.start[at], bands.end(at - 1));
    EXPECT_EQ(bands.slices.start[0], 0);
    EXPECT_EQ(bands.slices.start[1], 10);
    EXPECT_EQ(bands.slices.start[2], 50);
    EXPECT_EQ(made->slices[2], SliceId(5));
    EXPECT_EQ(made->nameOf(2), "b");
    EXPECT_EQ(bands.slices.start[3], 5) << "the band that overlaps others";
    EXPECT_EQ(bands.lod.longest(bands.slices.duration.span(), 0, 3), 1u);
}

BandTrack called(std::vector<std::string> names)
{
    BandTrack track;
    track.names = std::move(names);
    return track;
}

TEST(Bands, ThatContainOthersStandAboveThem)
{
    const auto made = bandTrack(called({"inner", "outer"}), {{{0, 10}, 0, {}}, {{0, 100}, 1, {}}});
    EXPECT_EQ(made->nameOf(0), "outer");
    EXPECT_EQ(made->bands->rowBegin[1], 1u);
}

TEST(Bands, OfMoreRowsThanAnybodyLooksAtAreLeftOutAndCounted)
{
    BigVector<Band> bands;
    for (uint32_t number = 0; number < kMostBandRows + 7; ++number)
        bands.push_back({{number, 1000}, 0, {}});
    bands.push_back({{2000, 2001}, 0, {}});
    const auto made = bandTrack(called({"a"}), bands);
    EXPECT_EQ(made->bands->rows(), kMostBandRows);
    EXPECT_EQ(made->bands->size(), kMostBandRows + 1);
    EXPECT_EQ(made->leftOut, 7u);
}

TEST(Bands, MayBeNone)
{
    const auto made = bandTrack({}, {});
    EXPECT_EQ(made->bands->size(), 0u);
    EXPECT_EQ(made->bands->rows(), 0u);
}

} // namespace
} // namespace riffle
