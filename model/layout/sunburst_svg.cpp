// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/sunburst_svg.h"

#include "model/layout/svg_text.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace riffle {

namespace {

constexpr double kRingMargin = 8, kTitle = 20;

/// Returns the SVG text with the name of a piece, shortened to stay within the ring; empty if nothing fits. The text is
/// straight, because not all programs can bend text. It runs along the ring if the piece is longer than the ring is
/// wide, otherwise outwards.
std::string label(const std::string &name, const SunburstArc &arc, const SunburstShape &shape, double x, double y,
                  uint32_t colour)
{
    const double wide = arc.to - arc.from, middle = (arc.from + arc.to) / 2, inner = shape.inner(arc.ring),
                 outer = inner + shape.ring;
    const bool isAcross = wide * kWholeTurn * (inner + shape.ring / 2) > shape.ring;
    double away = inner + shape.ring / 2, room = shape.ring - 4, turned = middle * 360 + (middle < 0.5 ? -90 : 90);
    if (isAcross) {
        // The middle of the text's lower edge touches the inner circle, the ends of its upper edge the outer one.
        const double low = inner + 1, high = low + kSvgLine;
        const double atSides = low * std::tan(std::min(wide / 2, 0.24) * kWholeTurn),
                     atEnds = std::sqrt(std::max(0.0, (outer - 1) * (outer - 1) - high * high));
        room = 2 * std::min(atSides, atEnds);
        away = low + kSvgLine / 2;
        turned = middle * 360 + (middle < 0.25 || middle > 0.75 ? 0 : 180);
    }
    const std::string text =
        (isAcross ? shape.ring : wide * kWholeTurn * inner) < kSvgLine ? std::string() : fittedText(name, room);
    if (text.empty())
        return text;
    return fmt::format("<text transform=\"translate({:.2f} {:.2f}) rotate({:.2f})\" text-anchor=\"middle\" dy=\"4\" "
                       "fill=\"#{:06x}\" pointer-events=\"none\">{}</text>\n",
                       x + std::sin(middle * kWholeTurn) * away, y - std::cos(middle * kWholeTurn) * away, turned,
                       colour, escapedXml(text));
}

} // namespace

std::string sunburstSvg(const IcicleTree &tree, uint32_t root, double radius, const SunburstInk &ink)
{
    const SunburstShape shape = sunburstShape(tree, root, radius);
    const double x = radius + kRingMargin, y = radius + kRingMargin + kTitle;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#{2:06x}\"/>\n",
        2 * x, 2 * radius + 2 * kRingMargin + kTitle, ink.canvas);
    out += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"#{:06x}\">{}</text>\n", kRingMargin, kTitle, ink.text,
                       escapedXml(ink.title));
    for (const SunburstArc &arc : sunburstArcs(tree, root, shape)) {
        const uint32_t colour = ink.colour(arc) & 0xFFFFFF;
        const std::string name =
            arc.crowd > 1 ? fmt::format("{} and {} more", ink.name(arc.node), arc.crowd - 1) : ink.name(arc.node);
        out += fmt::format(
            "<path d=\"{}\" fill=\"#{:06x}\" stroke=\"#{:06x}\" stroke-width=\"1\"><title>{}: {}</title></path>\n",
            sunburstPath(arc, shape, x, y), colour, ink.canvas, escapedXml(name), escapedXml(ink.value(arc.node)));
        if (arc.crowd == 1)
            out += label(ink.name(arc.node), arc, shape, x, y, inkOn(colour));
    }
    const std::string middle = fittedText(root < tree.size() ? ink.name(root) : "", 2 * shape.hole - kRingMargin);
    out += fmt::format("<text x=\"{0:.2f}\" y=\"{1:.2f}\" text-anchor=\"middle\" fill=\"#{2:06x}\">{3}</text>\n<text "
                       "x=\"{0:.2f}\" y=\"{4:.2f}\" text-anchor=\"middle\" "
                       "fill=\"#{2:06x}\">{5}</text>\n</svg>\n",
                       x, y - 3, ink.text, escapedXml(middle), y + kSvgLine,
                       escapedXml(ink.value(root < tree.size() ? root : IcicleTree::kNone)));
    return out;
}

} // namespace riffle
