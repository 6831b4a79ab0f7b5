// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/flame_svg.h"

#include "model/base/format.h"
#include "model/base/shown_text.h"
#include "model/layout/colours.h"
#include "model/layout/svg_text.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr double kFlameRow = 17, kFlamePad = 3, kFlameEdge = 8;
constexpr double kNarrowest = 0.5; ///< pixels
constexpr uint32_t kDeepest = 250; ///< levels

std::string flameText(const std::string &text) { return escapedXml(shownText(text)); }

/// The boxes of a flame graph, and the number of frames that have none of their own.
struct FlameBoxes {
    FlameBoxes(const IcicleTree &tree, double width)
        : boxes(icicleBoxes(tree, IcicleTree::kNone, width, kDeepest, kNarrowest))
        , frames(tree.size())
    {
        uint64_t own = 0;
        for (const IcicleBox &box : boxes) {
            levels = std::max(levels, box.level + 1);
            own += box.crowd == 1;
        }
        deep = static_cast<uint64_t>(
            std::count_if(tree.depth.begin(), tree.depth.end(), [](uint32_t depth) { return depth >= kDeepest; }));
        narrow = frames - std::min(frames, own + deep);
    }

    std::vector<IcicleBox> boxes;
    uint32_t levels = 0;
    uint64_t frames, narrow = 0, deep = 0;
};

std::string boxText(const FlameGraph &graph, const IcicleBox &box, double y)
{
    const double wide = box.right - box.left;
    const std::string name = shownText(graph.name(box.node));
    const size_t grey = seriesColours().size() - 1;
    const std::string colour = box.crowd > 1 ? fmt::format("r{}", grey) : fmt::format("c{}", nameColour(name));
    constexpr double kGap = 1, kWithGap = 3; // a gap would hide a narrow box
    std::string out = fmt::format("<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" class=\"{}\">"
                                  "<title>{}</title></rect>\n",
                                  box.left, y, wide < kWithGap ? wide : wide - kGap, kFlameRow - kGap, colour,
                                  flameText(graph.tip(box.node, box.crowd)));
    const std::string label = box.crowd > 1 ? std::string() : fittedText(name, wide - 2 * kFlamePad);
    if (!label.empty())
        out += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" class=\"label on{}\">{}</text>\n", box.left + kFlamePad,
                           y + kSvgLine, colour, escapedXml(label));
    return out;
}

/// Appends a flame graph whose upper edge is at `top`, and returns its lower edge.
double addFlame(std::string &out, const FlameGraph &graph, double width, double top)
{
    assert(graph.name && graph.tip);
    const FlameBoxes flame(graph.tree, width);
    double y = top;
    const auto say = [&](const std::string &sentence) {
        out += fmt::format("<text x=\"0\" y=\"{:.0f}\">{}</text>\n", y + kSvgLine, flameText(sentence));
        y += kFlameRow;
    };
    say(graph.title);
    const auto count = [](uint64_t frames) { return formatCount(static_cast<int64_t>(frames)); };
    if (flame.narrow > 0)
        say(count(flame.narrow) + " of " + count(flame.frames) +
            " frames are narrower than half a pixel and have no box of their own: neighbours share a grey box, and "
            "what is below them is left out.");
    if (flame.deep > 0)
        say(count(flame.deep) + " of " + count(flame.frames) + " frames are below level " + count(kDeepest) +
            " and are left out.");
    if (flame.frames == 0)
        say("There are no frames.");
    for (const IcicleBox &box : flame.boxes)
        out += boxText(graph, box, y + box.level * kFlameRow);
    return y + flame.levels * kFlameRow;
}

std::string flameRules(uint32_t ColourPair::*edition)
{
    std::string text =
        fmt::format(".back {{ fill: #{:06x}; }} text {{ fill: #{:06x}; }}\n", kPageColour.*edition, kPageInk.*edition);
    const auto add = [&](const char *class_, std::span<const ColourPair> colours) {
        for (size_t at = 0; at < colours.size(); ++at)
            text += fmt::format(".{0}{1} {{ fill: #{2:06x}; }} .on{0}{1} {{ fill: #{3:06x}; }}\n", class_, at,
                                colours[at].*edition, inkOn(colours[at].*edition));
    };
    add("c", nameColours());
    add("r", seriesColours());
    return text;
}

} // namespace

std::string flameSvg(const FlameGraph &graph, double width)
{
    std::string body;
    const double height = addFlame(body, graph, width, 0);
    return fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" role=\"img\" aria-label=\"Flame "
                       "graph\">\n{2}</svg>\n",
                       width, height, body);
}

std::string flameFile(std::span<const FlameGraph> graphs, double width)
{
    std::string body;
    double y = kFlameEdge;
    for (const FlameGraph &graph : graphs)
        y = addFlame(body, graph, width, y) + 2 * kFlameEdge;
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0:.0f} 0 {1:.0f} {2:.0f}\" "
                       "width=\"{1:.0f}\" height=\"{2:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
                       "<style>\n.label {{ pointer-events: none; }}\n{3}"
                       "@media (prefers-color-scheme: dark) {{\n{4}}}\n</style>\n"
                       "<rect x=\"{0:.0f}\" width=\"100%\" height=\"100%\" class=\"back\"/>\n{5}</svg>\n",
                       -kFlameEdge, width + 2 * kFlameEdge, y, flameRules(&ColourPair::light),
                       flameRules(&ColourPair::dark), body);
}

} // namespace riffle
