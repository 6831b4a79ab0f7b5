// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_curve.h"

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/base/format.h"
#include "model/base/time.h"
#include "model/layout/chart_scale.h"
#include "model/layout/colours.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace riffle::cli {

namespace {

constexpr double kCurveWidth = 1200, kCurveTop = 16, kCurveHeight = 240, kCurveFoot = 18, kCurveAxis = 66;
constexpr double kLetter = 5.6, kLetterHeight = 12; ///< of labels, pixels

/// The chart while it is drawn. A level holds from its event to the next one, so each point has a column.
class MemoryPicture {
public:
    MemoryPicture(const SnapshotFacts &facts, uint32_t device, const CategoryCurve &curve)
        : m_facts(facts)
        , m_device(facts.replay().devices[device])
        , m_curve(curve)
        , m_column((kCurveWidth - kCurveAxis) / static_cast<double>(curve.events.size()))
    {
        for (size_t at = 0; at < curve.events.size(); ++at)
            m_most = std::max({m_most, static_cast<double>(curve.reserved[at]), static_cast<double>(curve.active[at])});
    }

    std::string text(const std::vector<CurveMark> &marks, CategoryClasses &classes)
    {
        drawAxes();
        drawSeries(classes);
        m_body += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\"><title>reserved</title></path>\n",
                              edge([&](size_t at) { return static_cast<double>(m_curve.reserved[at]); }));
        for (const CurveMark &mark : marks) // the first one's text is on the left, so that two never overlap
            drawMark(mark, marks.size() > 1 && &mark == &marks.front());
        return fmt::format("<div class=\"wide\"><svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" role=\"img\" "
                           "aria-label=\"Memory over time\">\n{2}</svg></div>\n",
                           kCurveWidth, kCurveTop + kCurveHeight + kCurveFoot, m_body);
    }

private:
    double x(size_t point) const { return kCurveAxis + m_column * static_cast<double>(point); }
    double y(double bytes) const
    {
        return kCurveTop + kCurveHeight * (1 - std::clamp(bytes / m_most, 0.0, 1.0)); // damaged files: any number
    }
    double xOf(uint32_t event) const
    {
        return kCurveAxis +
               m_column * (1 + static_cast<double>(event - m_device.firstEvent) / static_cast<double>(m_curve.stretch));
    }

    /// The path along the levels of all points, from left to right.
    template <typename Level>
    std::string edge(Level level) const
    {
        std::string path;
        double last = -1;
        for (size_t at = 0; at < m_curve.events.size(); ++at) {
            const double now = y(level(at));
            if (at == 0)
                path = fmt::format("M{:.1f} {:.1f}", x(at), now);
            else if (now != last)
                path += fmt::format("H{:.1f}V{:.1f}", x(at), now);
            last = now;
        }
        return path + fmt::format("H{:.1f}", x(m_curve.events.size()));
    }

    void drawAxes()
    {
        const double step = std::max(1.0, roundStep(m_most, 5, true));
        for (double level = 0; level <= m_most && level < 0x1p63; level += step) // damaged files: up to 2^63
            m_body += fmt::format("<line x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\" class=\"axis\"/>"
                                  "<text x=\"0\" y=\"{4:.1f}\">{2}</text>\n",
                                  kCurveAxis - 6, kCurveWidth, formatBytes(static_cast<int64_t>(level)), y(level),
                                  y(level) + 4);
        const auto every = static_cast<uint32_t>(std::max(1.0, roundStep(m_device.events, 8)));
        const int64_t origin = snapshotOrigin(m_facts.snapshot());
        for (uint32_t number = 0; number < m_device.events; number += every) {
            const int64_t time =
                m_facts.snapshot().events.time.at(m_device.firstEvent + number, MemoryEventTable::kNoTime);
            const std::string when =
                time == MemoryEventTable::kNoTime ? std::string() : ", " + formatDuration(saturatedSum(time, -origin));
            m_body += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{} {}{}</text>\n", xOf(m_device.firstEvent + number),
                                  kCurveTop + kCurveHeight + 13, number == 0 ? "event" : "", formatCount(number), when);
        }
    }

    void drawSeries(CategoryClasses &classes)
    {
        const size_t points = m_curve.events.size();
        std::vector<double> lower(points), upper(points);
        std::vector<std::string> areas; // from below
        std::string labels;
        for (const CategoryCurve::Series &series : m_curve.series) {
            for (size_t at = 0; at < points; ++at)
                upper[at] = lower[at] + static_cast<double>(series.bytes[at]);
            const std::string &styleClass = classes.of(series);
            areas.push_back(
                fmt::format("<path d=\"{}V{:.0f}H{:.0f}Z\" class=\"{}\"><title>{}, at most {}</title></path>\n",
                            edge([&](size_t at) { return upper[at]; }), kCurveTop + kCurveHeight, kCurveAxis,
                            styleClass, escapedXml(series.category), formatBytes(series.most)));
            labels += labelOf(series.category, styleClass, lower, upper);
            lower = upper;
        }
        for (auto area = areas.rbegin(); area != areas.rend(); ++area) // each reaches down to 0 and covers higher ones
            m_body += *area;
        m_body += labels;
    }

    /// The name of a category where its area has the most room; empty if there is not enough.
    std::string labelOf(const std::string &name, const std::string &styleClass, const std::vector<double> &lower,
                        const std::vector<double> &upper) const
    {
        const auto wide = static_cast<size_t>(static_cast<double>(name.size()) * kLetter / m_column) + 1;
        double most = kLetterHeight, left = 0, middle = 0;
        for (size_t first = 0; first + wide <= lower.size(); ++first) {
            double above = kCurveTop, below = kCurveTop + kCurveHeight;
            for (size_t at = first; at < first + wide && below - above >= most; ++at) {
                above = std::max(above, y(upper[at]));
                below = std::min(below, y(lower[at]));
            }
            if (below - above > most) {
                most = below - above;
                left = x(first);
                middle = (above + below) / 2;
            }
        }
        return middle == 0 ? std::string()
                           : fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"label on{}\">{}</text>\n", left + 2,
                                         middle + 4, styleClass, escapedXml(name));
    }

    /// The text is on the left of the line or on the right of it, unless there is no room.
    void drawMark(const CurveMark &mark, bool onTheLeft)
    {
        const double at = xOf(mark.event), wide = static_cast<double>(mark.text.size()) * kLetter;
        const bool left = at + wide > kCurveWidth || (onTheLeft && at - wide > kCurveAxis);
        m_body += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"currentColor\" stroke-dasharray=\"3 3\"/>"
                              "<text x=\"{:.1f}\" y=\"11\" text-anchor=\"{}\">{}</text>\n",
                              at, kCurveTop - 4, kCurveTop + kCurveHeight, at + (left ? -3 : 3), left ? "end" : "start",
                              escapedXml(mark.text));
    }

    const SnapshotFacts &m_facts;
    const DeviceReplay &m_device;
    const CategoryCurve &m_curve;
    const double m_column; ///< pixels
    double m_most = 1;     ///< bytes
    std::string m_body;
};

} // namespace

const std::string &CategoryClasses::of(const CategoryCurve::Series &series)
{
    const auto [known, isNew] = m_known.try_emplace(series.category);
    const size_t grey = seriesColours().size() - 1, row = m_known.size() - 1;
    if (isNew)
        known->second = series.unknown ? fmt::format("r{}", grey)
                        : row < grey   ? fmt::format("r{}", row)
                                       : fmt::format("c{}", nameColour(series.category));
    return known->second;
}

std::string memoryChart(const SnapshotFacts &facts, uint32_t device, const CategoryCurve &curve,
                        const std::vector<CurveMark> &marks, CategoryClasses &classes)
{
    assert(facts.replay().devices[device].events > 0);
    std::string key;
    for (const CategoryCurve::Series &series : curve.series)
        key += fmt::format("<span class=\"key\"><i style=\"background:var(--{})\">&nbsp;</i>{}</span>",
                           classes.of(series), escapedXml(series.category));
    return "<p>" + key + "</p>\n" + MemoryPicture(facts, device, curve).text(marks, classes) +
           "<p class=\"note\">The areas are active memory, in the order of the key from bottom to top; the line is "
           "reserved memory." +
           (curve.stretch > 1
                ? fmt::format(" Each column stands for {} events and shows the one after which most memory is active. "
                              "Categories that only exist between these events are not shown.",
                              formatCount(curve.stretch))
                : std::string()) +
           "</p>\n";
}

} // namespace riffle::cli
