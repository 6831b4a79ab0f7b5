// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/bands.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(Bands, StandInAsManyRowsAsOverlap)
{
    BandTrack track;
    track.names = {"a", "b"};
    const auto made = bandTrack(track, {{{50, 60}, 1, SliceId(5)}, {{0, 10}, 0, SliceId(1)}, {{5, 20}, 1, SliceId(2)}, {{10, 30}, 0, {}}});
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
    EXPECT_EQ(bands.slices.start[3], 5) << "the one that overlaps";
    EXPECT_EQ(bands.lod.longest(bands.slices.duration.span(), 0, 3), 1u);
}

TEST(Bands, MayBeNone)
{
    const auto made = bandTrack({}, {});
    EXPECT_EQ(made->bands->size(), 0u);
    EXPECT_EQ(made->bands->rows(), 0u);
}

} // namespace
} // namespace riffle
