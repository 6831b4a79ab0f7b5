// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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

struct ClassColour {
    uint32_t fill, text;
};
constexpr uint32_t kWhite = 0xffffff, kBlack = 0x0b0d10;
/// The fills by WorkClass, from MatrixProducts on. They are chosen so that the classes of streams differ from each
/// other, and those of threads, also for people with red-blind and green-blind vision.
constexpr std::array<ClassColour, kWorkClasses - 1> kClasses{{
    {0x416abe, kWhite},
    {0xb375a4, kBlack},
    {0x1d797a, kWhite},
    {0x79905e, kBlack},
    {0xe85d16, kBlack},
    {0x756c5d, kWhite},
    {0x3c959f, kBlack},
    {0x7b7fe0, kBlack},
    {0x63955d, kBlack},
    {0xad5500, kWhite},
    {0x6c6d70, kWhite},
}};
constexpr ClassFill kWithoutClass{{0x7893c2, 0x4b6a97}, {kBlack, kWhite}};
constexpr double kToneStep = 3; ///< L*

/// Returns a colour that is lighter by `change` L*, of the same a* and b*.
uint32_t lighter(uint32_t colour, double change)
{
    // L* alone changes if the cube roots of X, Y and Z, relative to those of white, change by the same amount.
    const auto linear = [](uint32_t value) {
        const double part = value / 255.0;
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    const auto channel = [](double part) {
        part = std::clamp(part <= 0.0031308 ? part * 12.92 : 1.055 * std::pow(part, 1 / 2.4) - 0.055, 0.0, 1.0);
        return static_cast<uint32_t>(std::lround(part * 255));
    };
    const double red = linear(colour >> 16 & 0xff), green = linear(colour >> 8 & 0xff), blue = linear(colour & 0xff);
    const auto shifted = [change](double value) { return std::pow(std::max(0.0, std::cbrt(value) + change / 116), 3); };
    const double x = shifted((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505) * 0.9505;
    const double y = shifted(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    const double z = shifted((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089) * 1.089;
    return channel(3.2406 * x - 1.5372 * y - 0.4986 * z) << 16 | channel(-0.9689 * x + 1.8758 * y + 0.0415 * z) << 8 |
           channel(0.0557 * x - 0.2040 * y + 1.0570 * z);
}

} // namespace

std::span<const ClassFill> classFills()
{
    static const std::vector<ClassFill> fills = [] {
        std::vector<ClassFill> all{kWithoutClass};
        for (const ClassColour &one : kClasses)
            for (const double change : {-kToneStep, 0.0, kToneStep}) {
                const uint32_t fill = change == 0 ? one.fill : lighter(one.fill, change);
                all.push_back({{fill, fill}, {one.text, one.text}});
            }
        return all;
    }();
    return fills;
}

uint8_t classFillRow(WorkClass kind, uint8_t nameColour)
{
    return kind == WorkClass::None
               ? uint8_t{0}
               : static_cast<uint8_t>(1 + (static_cast<uint8_t>(kind) - 1) * kClassTones + nameColour % kClassTones);
}

uint8_t classFillRow(WorkClass kind) { return classFillRow(kind, 1); }

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

ClassPattern patternOf(WorkClass kind)
{
    switch (kind) {
    case WorkClass::None:
    case WorkClass::MatrixProducts:
    case WorkClass::Forward: break;
    case WorkClass::Attention:
    case WorkClass::Backward: return ClassPattern::Rising;
    case WorkClass::OtherCompute:
    case WorkClass::Optimizer: return ClassPattern::Falling;
    case WorkClass::Compiled:
    case WorkClass::DataLoading: return ClassPattern::Upright;
    case WorkClass::Communication: return ClassPattern::Level;
    case WorkClass::Copies:
    case WorkClass::OtherHost: return ClassPattern::Dots;
    }
    return ClassPattern::Plain;
}

ClassPattern patternOfFill(size_t row)
{
    return row == 0 ? ClassPattern::Plain : patternOf(static_cast<WorkClass>((row - 1) / kClassTones + 1));
}

bool isInked(ClassPattern pattern, int x, int y)
{
    switch (pattern) {
    case ClassPattern::Plain: break;
    case ClassPattern::Rising: return (x + y) % 6 == 0;
    case ClassPattern::Falling: return (x - y % 6 + 6) % 6 == 0;
    case ClassPattern::Upright: return x % 5 == 0;
    case ClassPattern::Level: return y % 5 == 0;
    case ClassPattern::Dots: return x % 4 == 0 && y % 4 == 0;
    }
    return false;
}

} // namespace riffle
