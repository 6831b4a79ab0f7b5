// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>

using namespace riffle;

TEST(SeededHash, IsTheSameThroughoutARun)
{
    EXPECT_EQ(SeededHash()(0x7f0000000000), SeededHash()(0x7f0000000000));
    EXPECT_EQ(hashSeed(), hashSeed());
}

/// Keys that differ only in their low bits, only in their high bits, or by one step reach most places of a table.
TEST(SeededHash, SpreadsRegularKeys)
{
    const SeededHash hash;
    constexpr uint64_t kPlaces = 1 << 16, kKeys = kPlaces / 4;
    for (const uint64_t step : {uint64_t(1), uint64_t(512), uint64_t(1) << 21, uint64_t(1) << 44, uint64_t(85229)}) {
        std::set<uint64_t> places;
        for (uint64_t key = 0; key < kKeys; ++key)
            places.insert(hash(key * step) % kPlaces);
        // Random places would leave 88 % of them distinct.
        EXPECT_GT(places.size(), kKeys / 2) << step;
    }
}
