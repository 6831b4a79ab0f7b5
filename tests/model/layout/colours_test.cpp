// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/colours.h"

#include <gtest/gtest.h>

#include <cmath>
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

double lightOf(uint32_t colour)
{
    const auto linear = [](uint32_t value) {
        const double part = value / 255.0;
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour >> 16 & 0xff) + 0.7152 * linear(colour >> 8 & 0xff) + 0.0722 * linear(colour & 0xff);
}

double contrast(uint32_t a, uint32_t b)
{
    const double one = lightOf(a) + 0.05, two = lightOf(b) + 0.05;
    return std::max(one, two) / std::min(one, two);
}

double lightness(uint32_t colour) { return 116 * std::cbrt(lightOf(colour)) - 16; }

TEST(Colours, ClassesStandOutAndTheirNamesCanBeRead)
{
    for (const auto edition : {&ColourPair::light, &ColourPair::dark}) {
        EXPECT_GE(contrast(kIdleHatch.*edition, kPageColour.*edition), 3);
        for (const ClassFill &one : classFills()) {
            EXPECT_GE(contrast(one.fill.*edition, kPageColour.*edition), 3) << std::hex << one.fill.*edition;
            EXPECT_GE(contrast(one.text.*edition, one.fill.*edition), 4.5) << std::hex << one.fill.*edition;
        }
    }
}

TEST(Colours, NamesShiftTheLightnessOfAClassALittle)
{
    ASSERT_EQ(classFills().size(), 1 + (kWorkClasses - 1) * size_t{kClassTones});
    for (size_t kind = 1; kind < kWorkClasses; ++kind) {
        const auto own = static_cast<WorkClass>(kind);
        const ClassFill &whole = classFills()[classFillRow(own)];
        EXPECT_EQ(whole.fill.light, whole.fill.dark);
        std::set<uint32_t> tones;
        for (uint8_t name = 0; name < nameColours().size(); ++name) {
            const uint32_t fill = classFills()[classFillRow(own, name)].fill.light;
            tones.insert(fill);
            EXPECT_LE(std::abs(lightness(fill) - lightness(whole.fill.light)), 3.2);
        }
        EXPECT_EQ(tones.size(), kClassTones);
    }
    EXPECT_EQ(classFills()[classFillRow(WorkClass::Communication)].fill.light, 0xe85d16u);
    EXPECT_EQ(classFillRow(WorkClass::None, 7), 0);
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
