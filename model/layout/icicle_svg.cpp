// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/icicle_svg.h"

#include "model/layout/svg_text.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {
constexpr double kMargin = 8, kTitle = 20, kRow = 18, kPad = 3;
constexpr uint32_t kMostLevels = 200;
} // namespace

std::string icicleSvg(const IcicleTree &tree, uint32_t root, double width, const IcicleInk &ink)
{
    const std::vector<IcicleBox> boxes = icicleBoxes(tree, root, width, kMostLevels);
    uint32_t levels = 0;
    for (const IcicleBox &box : boxes)
        levels = std::max(levels, box.level + 1);
    const double top = kMargin + kTitle;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#{2:06x}\"/>\n"
        "<text x=\"{3:.0f}\" y=\"{4:.0f}\" fill=\"#{5:06x}\">{6}</text>\n",
        width + 2 * kMargin, top + levels * kRow + kMargin, ink.canvas, kMargin, kTitle, ink.text,
        escapedXml(ink.title));
    for (const IcicleBox &box : boxes) {
        const uint32_t colour = ink.colour(box) & 0xFFFFFF;
        const double left = kMargin + box.left, wide = box.right - box.left, y = top + box.level * kRow;
        const std::string name =
            box.crowd > 1 ? fmt::format("{} and {} more", ink.name(box.node), box.crowd - 1) : ink.name(box.node);
        out +=
            fmt::format("<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"#{:06x}\" "
                        "stroke=\"#{:06x}\" stroke-width=\"0.5\"><title>{}: {}</title></rect>\n",
                        left, y, wide, kRow - 1, colour, ink.canvas, escapedXml(name), escapedXml(ink.value(box.node)));
        if (const std::string text = fittedText(name, wide - 2 * kPad); !text.empty())
            out += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" fill=\"#{:06x}\" pointer-events=\"none\">{}</text>\n",
                               left + kPad, y + kSvgLine, inkOn(colour), escapedXml(text));
    }
    return out + "</svg>\n";
}

} // namespace riffle
