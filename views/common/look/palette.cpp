// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/palette.h"

#include <QColor>

#include <algorithm>
#include <cmath>
#include <span>

namespace riffle {

namespace {

std::vector<QRgb> opaque(std::span<const ColourPair> colours, uint32_t ColourPair::*edition)
{
    std::vector<QRgb> all;
    for (const ColourPair &colour : colours)
        all.push_back(0xff000000 | colour.*edition);
    return all;
}

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
        p.edge = 0xff7f8b99;
        p.text = 0xff1d2430;
        p.dimText = 0xff4d5766;
        p.accent = 0xff1766c2;
        p.selection = 0xff0b1624;
        p.hover = 0xff3a4a60;
        p.area = 0x301766c2;
        p.areaEdge = 0xff1766c2;
        p.cursor = 0xff8a96a6;
        p.mark = 0xffb4500f;
        p.longer = 0xffa3410d;
        p.shorter = 0xff1257b8;
        p.flow = 0xffb3261e;
        p.graphLine = 0xff2a78bd;
        p.graphFill = 0xffd3e5f5;
        p.bar = 0xff7893c2;
        p.instant = 0xff8b5a00;
        p.odd = 0xff8c1d12;
        p.step[0] = 0xffdfe6ee;
        p.step[1] = 0xffcdd8e4;
        p.busy = 0xff6aa5d6;
        p.shade = 0x70e6eaf0;
        p.idle = p.edition(kIdleHatch);
        p.m_slices = opaque(riffle::nameColours(), &ColourPair::light);
        p.m_series = opaque(riffle::seriesColours(), &ColourPair::light);
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
        p.edge = 0xff6d7a8a;
        p.text = 0xffe3e8ee;
        p.dimText = 0xffabb6c4;
        p.accent = 0xff5aa9f5;
        p.selection = 0xffffffff;
        p.hover = 0xffb8c4d2;
        p.area = 0x385aa9f5;
        p.areaEdge = 0xff5aa9f5;
        p.cursor = 0xff6d7a8a;
        p.mark = 0xfff0a35a;
        p.longer = 0xffe8894a;
        p.shorter = 0xff5b9bea;
        p.flow = 0xffff8f80;
        p.graphLine = 0xff5aa2dd;
        p.graphFill = 0xff203a52;
        p.bar = 0xff4b6a97;
        p.instant = 0xffe0b35a;
        p.odd = 0xffffd5cc;
        p.step[0] = 0xff28313c;
        p.step[1] = 0xff333e4b;
        p.busy = 0xff3f7fb8;
        p.shade = 0x80101317;
        p.idle = p.edition(kIdleHatch);
        p.m_slices = opaque(riffle::nameColours(), &ColourPair::dark);
        p.m_series = opaque(riffle::seriesColours(), &ColourPair::dark);
        return p;
    }();
    return palette;
}

const Palette &Palette::fitting(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? dark() : light();
}

uint8_t Palette::colourIndex(std::string_view name) { return nameColour(name); }

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
    return isDark ? mixed(colour, 0xffffffff, 0.04 + 0.2 * strength)
                  : mixed(colour, 0xff101820, 0.04 + 0.22 * strength);
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
