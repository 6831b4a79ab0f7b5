// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/colours.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace riffle {
namespace {

TEST(Colours, NumbersAtTheEndOfANameDoNotCount)
{
    EXPECT_EQ(nameColour("ProfilerStep#1"), nameColour("ProfilerStep#1234"));
    std::set<uint8_t> used;
    for (int at = 0; at < 500; ++at)
        used.insert(nameColour("aten::op_" + std::to_string(at) + "_kernel"));
    EXPECT_EQ(used.size(), nameColours().size());
}

TEST(Colours, AllOfAKindDiffer)
{
    for (const auto colours : {nameColours(), seriesColours()}) {
        std::set<uint32_t> light, dark;
        for (const ColourPair &colour : colours) {
            light.insert(colour.light);
            dark.insert(colour.dark);
        }
        EXPECT_EQ(light.size(), colours.size());
        EXPECT_EQ(dark.size(), colours.size());
    }
}

} // namespace
} // namespace riffle
