// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/colours.h"

#include <array>

namespace riffle {

namespace {

/// Colours of moderate lightness and chroma, chosen one after the other in OKLCH. Each is as far as possible from the
/// previous ones for people with normal, red-blind and green-blind vision. The dark edition keeps the hue; its
/// lightness and chroma were then moved a little until all colours were far enough from each other again.
constexpr std::array<ColourPair, 24> kNames{{
    {0x93b4dd, 0x6084b6}, {0xc49633, 0x8e5c08}, {0x9be9bb, 0x57b88a}, {0xe17f6f, 0x9c4c3b}, {0xcae180, 0x94ae4c},
    {0x8c96eb, 0x5a60c1}, {0xc48c9c, 0x7f596b}, {0x9de2e8, 0x78acb4}, {0xfbb08e, 0xc97b58}, {0xd07fba, 0x9e4282},
    {0xd6a866, 0xb17a28}, {0xc2ac9b, 0x997e69}, {0xaeccc2, 0x80a296}, {0xabdbfe, 0x759fbe}, {0x98aef1, 0x687fca},
    {0xf3b861, 0xc9830b}, {0xbea9bc, 0x8f7c8f}, {0x96eca8, 0x62b874}, {0xa890d4, 0x6b589e}, {0xd68582, 0x944f51},
    {0x86cdff, 0x69a8db}, {0x71a6c3, 0x387290}, {0xdb8750, 0xab5d35}, {0xc6a9aa, 0x917374},
}};

/// Blue, orange, teal, purple, olive, indigo, rust and grey, chosen like the colours above, but with a higher contrast
/// to the background, because bars and lines have neither outlines nor names inside.
constexpr std::array<ColourPair, 8> kSeries{{
    {0x6d91e0, 0x4868b4},
    {0x976204, 0xec9b06},
    {0x325c50, 0xafddce},
    {0xa34b9d, 0xec8ee4},
    {0x949946, 0x7d812c},
    {0x4f3da5, 0x968cfc},
    {0xa15438, 0xfba588},
    {0x8e9399, 0x6d7278},
}};

} // namespace

std::span<const ColourPair> nameColours() { return kNames; }

uint8_t nameColour(std::string_view name)
{
    while (!name.empty() && name.back() >= '0' && name.back() <= '9')
        name.remove_suffix(1);
    uint64_t hash = 1469598103934665603ull;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15ull;
    return static_cast<uint8_t>((hash >> 40) % kNames.size());
}

std::span<const ColourPair> seriesColours() { return kSeries; }

} // namespace riffle
