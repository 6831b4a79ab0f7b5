// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/palette.h"

#include <QColor>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

/// Twelve hues in two depths of lightness. Blue, orange, teal, rose, … in an order that keeps hues which are confused by
/// colour-blind people apart in lightness.
const std::vector<QRgb> kLightSlices{
    0xff9cc4ea, 0xfff2b874, 0xff7fcdbb, 0xffe9a3b4, 0xffb9b3e6, 0xffd3cf72, 0xff6fb0d2, 0xffdc9a86,
    0xffa3d39c, 0xffcfa1d6, 0xff8fb8a8, 0xffefd08a, 0xff6e9fd8, 0xffd9a04f, 0xff55b3a0, 0xffd67f98,
    0xff9a90d6, 0xffb5b34e, 0xffb9d4e3, 0xffc98a72, 0xff7fb97a, 0xffb583c2, 0xffb8cfc4, 0xffd9bf6e,
};
const std::vector<QRgb> kDarkSlices{
    0xff3f76ad, 0xffb3701f, 0xff22806f, 0xffa84a64, 0xff6a5fb5, 0xff7b7724, 0xff2a6f90, 0xffa2543b,
    0xff447a3d, 0xff87509a, 0xff4b7364, 0xff8f6d1a, 0xff5b92cf, 0xffd0903d, 0xff3ea391, 0xffcd6f8a,
    0xff8d82d8, 0xff9f9c3f, 0xff55809b, 0xffc57a60, 0xff63a05b, 0xffad74bf, 0xff6d9485, 0xffb8943f,
};

double luminance(QRgb colour)
{
    const auto channel = [](int value) {
        const double part = value / 255.0;
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(qRed(colour)) + 0.7152 * channel(qGreen(colour)) + 0.0722 * channel(qBlue(colour));
}

} // namespace

const Palette &Palette::light()
{
    static const Palette palette = [] {
        Palette p;
        p.canvas = 0xffffffff;
        p.laneAlternate = 0xfffafbfc;
        p.heading = 0xffeef1f5;
        p.gpuHeading = 0xffe4eef7;
        p.line = 0xffe3e7ec;
        p.gridLine = 0xfff0f2f5;
        p.text = 0xff1d2430;
        p.dimText = 0xff5a6575;
        p.accent = 0xff1766c2;
        p.selection = 0xff0b1624;
        p.hover = 0xff3a4a60;
        p.area = 0x301766c2;
        p.areaEdge = 0xff1766c2;
        p.cursor = 0xff8a96a6;
        p.mark = 0xffb4500f;
        p.flow = 0xffb3261e;
        p.graphLine = 0xff2a78bd;
        p.graphFill = 0xffd3e5f5;
        p.instant = 0xff8b5a00;
        p.step[0] = 0xffdfe6ee;
        p.step[1] = 0xffcdd8e4;
        p.busy = 0xff6aa5d6;
        p.shade = 0x70e6eaf0;
        p.m_slices = kLightSlices;
        return p;
    }();
    return palette;
}

const Palette &Palette::dark()
{
    static const Palette palette = [] {
        Palette p;
        p.isDark = true;
        p.canvas = 0xff14181d;
        p.laneAlternate = 0xff171b21;
        p.heading = 0xff1f252d;
        p.gpuHeading = 0xff1c2a38;
        p.line = 0xff282f38;
        p.gridLine = 0xff1d2229;
        p.text = 0xffe3e8ee;
        p.dimText = 0xff98a4b3;
        p.accent = 0xff5aa9f5;
        p.selection = 0xffffffff;
        p.hover = 0xffb8c4d2;
        p.area = 0x385aa9f5;
        p.areaEdge = 0xff5aa9f5;
        p.cursor = 0xff6d7a8a;
        p.mark = 0xfff0a35a;
        p.flow = 0xffff8f80;
        p.graphLine = 0xff5aa2dd;
        p.graphFill = 0xff203a52;
        p.instant = 0xffe0b35a;
        p.step[0] = 0xff28313c;
        p.step[1] = 0xff333e4b;
        p.busy = 0xff3f7fb8;
        p.shade = 0x80101317;
        p.m_slices = kDarkSlices;
        return p;
    }();
    return palette;
}

const Palette &Palette::fitting(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? dark() : light();
}

uint8_t Palette::colourIndex(std::string_view name)
{
    while (!name.empty() && name.back() >= '0' && name.back() <= '9')
        name.remove_suffix(1);
    uint64_t hash = 1469598103934665603ull;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15ull;
    return static_cast<uint8_t>((hash >> 40) % kLightSlices.size());
}

QRgb Palette::textOn(QRgb background)
{
    constexpr QRgb kBlack = 0xff000000;
    constexpr QRgb kWhite = 0xffffffff;
    return contrast(background, kBlack) >= contrast(background, kWhite) ? kBlack : kWhite;
}

QRgb Palette::dimmed(QRgb colour) const { return mixed(colour, canvas, isDark ? 0.72 : 0.78); }

QRgb Palette::crowded(QRgb colour, uint32_t count) const
{
    if (count <= 1)
        return colour;
    const double strength = std::min(1.0, std::log2(static_cast<double>(count)) / 12.0);
    return isDark ? mixed(colour, 0xffffffff, 0.04 + 0.2 * strength) : mixed(colour, 0xff101820, 0.04 + 0.22 * strength);
}

QRgb Palette::mixed(QRgb from, QRgb to, double share)
{
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return qRgb(part(qRed(from), qRed(to)), part(qGreen(from), qGreen(to)), part(qBlue(from), qBlue(to)));
}

double Palette::contrast(QRgb a, QRgb b)
{
    const double one = luminance(a) + 0.05;
    const double two = luminance(b) + 0.05;
    return std::max(one, two) / std::min(one, two);
}

} // namespace riffle
