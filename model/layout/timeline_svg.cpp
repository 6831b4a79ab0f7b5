// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/timeline_svg.h"

#include "model/base/format.h"
#include "model/layout/colours.h"
#include "model/layout/draw_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kAxis = 18;
constexpr int kHeading = 16;
constexpr int kGap = 4;
constexpr double kCharacter = 5.6; ///< approximate width of a character, pixels

/// The hatch of idle times. A document may contain it several times, because all are the same.
constexpr std::string_view kHatch = "<defs><pattern id=\"idle\" width=\"5\" height=\"5\" "
                                    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                                    "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" class=\"idleline\"/>"
                                    "</pattern></defs>\n";

/// Returns the text, shortened with an ellipsis if it does not fit into `width` pixels; empty if not even a few
/// characters fit.
std::string fitted(std::string_view text, double width)
{
    const auto most = static_cast<size_t>(std::max(0.0, width / kCharacter));
    if (most < 3)
        return {};
    size_t end = 0;
    for (size_t characters = 0; end < text.size() && characters < most; ++characters)
        do
            ++end;
        while (end < text.size() && (text[end] & 0xC0) == 0x80);
    if (end == text.size())
        return std::string(text);
    do // the ellipsis takes the room of one character
        --end;
    while (end > 0 && (text[end] & 0xC0) == 0x80);
    return std::string(text.substr(0, end)) + "…";
}

class Picture {
public:
    Picture(const TraceSet &set, TimeSpan range, const SetBands &bands, const SetWorkClasses &classes,
            const TimelinePicture &look)
        : m_set(set)
        , m_classes(classes)
        , m_look(look)
        , m_layout(set, {}, {}, bands)
        , m_scale(range, look.width - look.titleWidth)
    {
    }

    std::string svg()
    {
        axis();
        for (const LaneItem &item : m_layout.items()) {
            if (m_y > m_look.height) {
                m_leftOut += !item.heading();
                continue;
            }
            if (item.heading())
                heading(item);
            else
                lane(item);
        }
        if (m_leftOut)
            text(4, m_y + 12, "title", fmt::format("{} more lanes", m_leftOut));
        return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
                           "aria-label=\"Timeline\">\n{}{}</svg>\n",
                           m_look.width, m_y + 18, m_look.width, kHatch, m_body);
    }

private:
    void rect(int x0, int x1, int y, int height, const std::string &style, std::string_view tip)
    {
        m_body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\">",
                              x0 + m_look.titleWidth, y, x1 - x0, height, style);
        if (!tip.empty())
            m_body += "<title>" + escapedXml(tip) + "</title>";
        m_body += "</rect>\n";
    }
    void text(int x, int y, const std::string &style, std::string_view words)
    {
        m_body += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, escapedXml(words));
    }

    void axis()
    {
        const Ns step = tickStep(m_scale, 90);
        const TimeSpan range = m_scale.range();
        const Ns origin = m_set.origin();
        for (Ns tick = origin + (range.begin - origin) / step * step; tick < range.end; tick += step) {
            const auto x = m_scale.column(tick);
            if (x < 0 || x >= m_scale.width())
                continue;
            m_body += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1}\" class=\"axis\"/>\n",
                                  x + m_look.titleWidth, kAxis);
            text(static_cast<int>(x) + m_look.titleWidth + 3, 11, "title", formatTick(tick - origin, step));
        }
        m_y = kAxis;
    }

    void heading(const LaneItem &item)
    {
        m_body += fmt::format("<rect x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"heading\"/>\n", m_y,
                              m_look.width, kHeading - 2);
        text(4 + 10 * item.indent, m_y + 11, "title",
             fitted(item.title + (item.note.empty() ? "" : "  " + item.note), m_look.width));
        m_y += kHeading;
    }

    void lane(LaneItem item)
    {
        item.rows = std::min(item.rows, m_look.laneRows);
        item.rowHeight = m_look.rowHeight;
        item.y = 0;
        item.height = static_cast<int>(item.rows) * item.rowHeight + 2 * LaneLayout::kPadding;
        m_section.assign(1, item);
        DrawList::Request request;
        request.set = &m_set;
        request.section = &m_section;
        request.scale = m_scale;
        request.yEnd = item.height;
        m_list.build(request);
        text(4 + 10 * item.indent, m_y + 10, "title", fitted(item.title, m_look.titleWidth - 10 * item.indent - 8));
        for (const DrawnItem &drawn : m_list.items())
            for (size_t row = 0; row < drawn.rows.size(); ++row)
                boxes(item, drawn.rows[row], m_y + static_cast<int>(row) * item.rowHeight);
        m_y += static_cast<int>(item.rows) * item.rowHeight + kGap;
    }

    std::string_view nameOf(const LaneItem &item, const Box &box) const
    {
        return item.bands ? std::string_view(item.bands->names[box.name]) : m_set.trace(item.trace)->string(box.name);
    }

    /// The CSS class of a slice or band; a hatch for bands that show that nothing happened.
    std::string styleOf(const LaneItem &item, const Box &box) const
    {
        if (item.bands && item.bands->hatched)
            return "idle";
        const uint8_t name = nameColour(nameOf(item, box));
        const WorkClasses *classes = item.bands ? nullptr : m_classes[item.trace].get();
        if (!classes || classes->slices.empty())
            return fmt::format("c{}", name);
        return fmt::format("k{}", classFillRow(classes->of(box.slice), name));
    }

    void boxes(const LaneItem &item, const std::vector<Box> &row, int y)
    {
        for (size_t at = 0; at < row.size();) {
            // Adjacent crowded columns of the same colour become one rectangle.
            const std::string style = styleOf(item, row[at]);
            size_t last = at + 1;
            while (last < row.size() && row[last].x0 == row[last - 1].x1 && row[last].x1 - row[last].x0 == 1 &&
                   row[last - 1].x1 - row[last - 1].x0 == 1 && styleOf(item, row[last]) == style)
                ++last;
            const int x0 = row[at].x0, x1 = row[last - 1].x1;
            const bool isOne = last == at + 1 && x1 - x0 > 3;
            const std::string_view name = nameOf(item, row[at]);
            // A single slice is one pixel narrower, to keep neighbours of the same colour apart.
            rect(x0, isOne ? x1 - 1 : x1, y, item.rowHeight - 1, style, isOne ? name : std::string_view());
            if (const std::string label = isOne ? fitted(name, x1 - x0 - 6) : std::string(); !label.empty())
                text(x0 + m_look.titleWidth + 3, y + item.rowHeight - 4, "label on" + style, label);
            at = last;
        }
    }

    const TraceSet &m_set;
    const SetWorkClasses &m_classes;
    const TimelinePicture &m_look;
    LaneLayout m_layout;
    TimeScale m_scale;
    DrawList m_list;
    std::vector<LaneItem> m_section;
    std::string m_body;
    int m_y = 0;
    size_t m_leftOut = 0;
};

} // namespace

std::string escapedXml(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text)
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default:
            out +=
                static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c; // XML cannot represent them
        }
    return out;
}

std::string timelineSvg(const TraceSet &set, TimeSpan range, const SetBands &bands, const SetWorkClasses &classes,
                        const TimelinePicture &picture)
{
    return Picture(set, range, bands, classes, picture).svg();
}

} // namespace riffle
