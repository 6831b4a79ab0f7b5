// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_painter.h"

#include "views/timeline/image_line.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace riffle {

namespace {

constexpr int kLeastLabelWidth = 20; ///< logical pixels: the narrowest box with a name
constexpr int kLeastLabelRow = 11;   ///< logical pixels: the height of the lowest row with names
constexpr int kLeastOddWidth = 4;    ///< logical pixels: the narrowest box that can be marked as crossing or unfinished
constexpr int kLeastOddRow = 6;      ///< logical pixels: the height of the lowest row with such marks

constexpr int kLeastPatternWidth = 8; ///< logical pixels: the narrowest box with the pattern of its class
constexpr int kHatch = 5;             ///< logical pixels from one line of a hatch to the next
constexpr int kLeastHatchLabel = 40;  ///< logical pixels: the narrowest hatched box with a name

/// The cache key of a label. It depends on the text and not on its place, because bands of several tracks share their
/// labels.
uint64_t bandKey(const BandTrack &track, uint32_t name)
{
    return uint64_t{1} << 62 | (std::hash<std::string>()(track.names[name]) >> 2);
}

/// The colour of a track whose bands all have the same one.
QRgb toneOf(const BandTrack &track, const Palette &palette)
{
    return track.tone == BandTrack::Tone::Longer    ? palette.longer
           : track.tone == BandTrack::Tone::Shorter ? palette.shorter
                                                    : palette.idle;
}

} // namespace

void LanePainter::setTraces(const TraceSet &set)
{
    for (const LoadedTrace &member : set.loaded())
        m_colours[member.id].reset(member.trace.get());
    // Cached names are keyed by trace and StringId, which belong to other texts now.
    m_labels.clear();
}

void LanePainter::growTraces(const TraceSet &set)
{
    for (const LoadedTrace &member : set.loaded())
        m_colours[member.id].grow(member.trace.get());
}

int LanePainter::device(int y) const { return static_cast<int>(std::lround(y * m_job.ratio)); }

void LanePainter::makeBackground()
{
    m_background.assign(static_cast<size_t>(m_job.scale.width()), m_job.palette->canvas);
    const Ns step = tickStep(m_job.scale, 90 * m_job.ratio);
    const TimeSpan range = m_job.scale.range();
    Ns tick = m_job.timeOrigin + (range.begin - m_job.timeOrigin) / step * step - step;
    for (; tick < range.end; tick += step) {
        const int64_t x = m_job.scale.column(tick);
        if (x >= 0 && x < m_job.scale.width())
            m_background[static_cast<size_t>(x)] = m_job.palette->gridLine;
    }
}

LanePainter::Tones LanePainter::tonesOf(QRgb colour, QRgb text, bool dim) const
{
    const Palette &palette = *m_job.palette;
    Tones tones;
    tones.body = dim ? palette.dimmed(colour) : colour;
    tones.edge = Palette::mixed(tones.body, palette.canvas, 0.75);
    tones.softEdge = Palette::mixed(tones.body, palette.canvas, 0.4);
    tones.ink = dim ? palette.dimText : text;
    for (size_t bits = 0; bits < tones.crowd.size(); ++bits)
        tones.crowd[bits] = palette.crowded(tones.body, bits == 0 ? 1 : 1u << (bits - 1));
    return tones;
}

void LanePainter::makeTones()
{
    if (m_job.palette == m_tonesPalette)
        return;
    m_tonesPalette = m_job.palette;
    const Palette &palette = *m_job.palette;
    m_tones.clear();
    m_dimmed.clear();
    const auto add = [this](QRgb colour, QRgb text) {
        m_tones.push_back(tonesOf(colour, text, false));
        m_dimmed.push_back(tonesOf(colour, text, true));
    };
    for (const QRgb colour : palette.sliceColours())
        add(colour, Palette::textOn(colour));
    for (const ClassFill &one : classFills())
        add(palette.edition(one.fill), palette.edition(one.text));
}

void LanePainter::fill(QImage &image, int top, int bottom, QRgb colour) const
{
    for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y)
        std::fill_n(pixels(image, y), image.width(), colour);
}

void LanePainter::copyLine(QImage &image, int top, int bottom) const
{
    for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y)
        std::memcpy(pixels(image, y), m_line.data(), m_line.size() * sizeof(QRgb));
}

bool LanePainter::emphasised(const LaneItem &item, const Box &box) const
{
    if (m_excluded)
        return false;
    const auto holds = [trace = item.trace](const auto &wanted, uint32_t value) {
        return std::binary_search(wanted[trace].begin(), wanted[trace].end(), value);
    };
    if (m_job.slices && !m_job.slices->empty())
        return holds(*m_job.slices, box.slice);
    return !m_job.highlight || m_job.highlight->empty() || holds(*m_job.highlight, box.name);
}

void LanePainter::paint(QImage &image, const Job &job)
{
    m_job = job;
    m_clipTop = std::clamp(device(job.clipTop), 0, image.height());
    m_clipBottom = std::clamp(device(job.clipBottom), m_clipTop, image.height());
    m_labels.setClip(m_clipTop, m_clipBottom);
    makeBackground();
    makeTones();
    int painted = m_clipTop;
    for (const DrawnItem &drawn : job.list->items()) {
        paintItem(image, drawn);
        painted = std::max(painted, device(job.yOffset + drawn.item->y + drawn.item->height));
    }
    m_line = m_background;
    copyLine(image, painted, m_clipBottom);
}

void LanePainter::paintItem(QImage &image, const DrawnItem &drawn)
{
    const LaneItem &item = *drawn.item;
    const int top = device(m_job.yOffset + item.y);
    const int bottom = device(m_job.yOffset + item.y + item.height);
    const int edge = std::max(1, static_cast<int>(m_job.ratio));
    m_excluded = m_job.excluded && m_job.excluded(item);
    if (item.heading()) {
        fill(image, top, bottom - edge, item.gpu ? m_job.palette->gpuHeading : m_job.palette->heading);
        paintSummary(image, drawn, top, bottom - edge);
        fill(image, bottom - edge, bottom, m_job.palette->line);
        return;
    }
    m_line = m_background;
    if (item.kind == LaneItem::Kind::Graph) {
        copyLine(image, top, bottom);
        paintGraph(image, drawn, top, bottom - edge);
    } else {
        const auto rowTop = [&](uint32_t row) {
            return device(m_job.yOffset + item.y + LaneLayout::kPadding + static_cast<int>(row) * item.rowHeight);
        };
        copyLine(image, top, rowTop(drawn.firstRow));
        for (size_t row = 0; row < drawn.rows.size(); ++row) {
            const auto number = drawn.firstRow + static_cast<uint32_t>(row);
            paintRow(image, drawn, drawn.rows[row], rowTop(number), rowTop(number + 1));
        }
        m_line = m_background;
        copyLine(image, rowTop(drawn.firstRow + static_cast<uint32_t>(drawn.rows.size())), bottom);
        paintInstants(image, drawn, top);
    }
    fill(image, bottom - edge, bottom, m_job.palette->line);
}

void LanePainter::paintSummary(QImage &image, const DrawnItem &drawn, int top, int bottom)
{
    if (drawn.rows.empty())
        return;
    const std::vector<QRgb> grid = std::move(m_background);
    m_background.assign(grid.size(), drawn.item->gpu ? m_job.palette->gpuHeading : m_job.palette->heading);
    const int gap = std::max(1, static_cast<int>(m_job.ratio));
    const int count = static_cast<int>(drawn.rows.size());
    const int head = top + 2 * gap;
    const int room = bottom - gap - head;
    for (int i = 0; i < count; ++i)
        paintRow(image, drawn, drawn.rows[static_cast<size_t>(i)], head + room * i / count,
                 head + room * (i + 1) / count - (count > 1 ? gap : 0));
    m_background = grid;
}

void LanePainter::paintRow(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom)
{
    const LaneItem &item = *drawn.item;
    const bool gap = item.rowHeight >= 5; // rows are separated if there is room
    const int bodyBottom = gap ? bottom - std::max(1, static_cast<int>(m_job.ratio)) : bottom;
    if (boxes.empty()) {
        m_line = m_background;
        copyLine(image, top, bottom);
        return;
    }
    if (item.bands && item.bands->hatched) {
        paintHatched(image, drawn, boxes, top, bodyBottom);
        m_line = m_background;
        copyLine(image, bodyBottom, bottom);
        return;
    }
    if (item.bands && item.bands->tone != BandTrack::Tone::None)
        m_changeTones = this->tonesOf(toneOf(*item.bands, *m_job.palette),
                                      Palette::textOn(toneOf(*item.bands, *m_job.palette)), false);
    SliceColours &colours = m_colours[item.trace];
    const WorkClasses *classes = m_job.classes ? (*m_job.classes)[item.trace].get() : nullptr;
    const Ns since = classes ? classes->since : INT64_MIN;
    colours.setMode(m_job.colours, classes, m_job.tints ? (*m_job.tints)[item.trace].get() : nullptr,
                    since == INT64_MIN ? since : m_job.scale.column(m_job.set->time(item.trace).toSet(since)));
    const auto tonesOf = [&](const Box &box) -> const Tones & {
        if (item.bands && item.bands->tone != BandTrack::Tone::None)
            return m_changeTones;
        if (item.bands)
            return m_tones[Palette::colourIndex(item.bands->kindOf(box.name))];
        return (emphasised(item, box) ? m_tones : m_dimmed)[colours.index(box)];
    };
    m_line = m_background;
    for (const Box &box : boxes) {
        const Tones &tones = tonesOf(box);
        const int width = box.x1 - box.x0;
        assert(box.x0 >= 0 && width > 0 && static_cast<size_t>(box.x1) <= m_line.size());
        if (width == 1) {
            m_line[static_cast<size_t>(box.x0)] =
                tones.crowd[std::min<size_t>(std::bit_width(box.count), tones.crowd.size() - 1)];
            continue;
        }
        std::fill(m_line.begin() + box.x0, m_line.begin() + box.x1, tones.body);
        // A faint right edge separates neighbours with the same name.
        if (width >= 3)
            m_line[static_cast<size_t>(box.x1) - 1] = width >= 6 ? tones.edge : tones.softEdge;
    }
    copyLine(image, top, bodyBottom);
    m_line = m_background;
    copyLine(image, bodyBottom, bottom);
    if (m_job.patterns && item.rowHeight >= kLeastOddRow && !item.bands)
        paintPatterns(image, drawn, boxes, top, bodyBottom);
    if (item.rowHeight >= kLeastOddRow && !item.bands)
        paintOdd(image, drawn, boxes, top, bodyBottom);

    if (item.rowHeight < kLeastLabelRow || bodyBottom <= m_clipTop || top >= m_clipBottom)
        return;
    const Trace &trace = *m_job.set->trace(item.trace);
    const int least = static_cast<int>(kLeastLabelWidth * m_job.ratio);
    const int pad = static_cast<int>(4 * m_job.ratio);
    const int y = top + (bodyBottom - top - m_labels.height()) / 2;
    for (const Box &box : boxes) {
        if (box.x1 - box.x0 < least)
            continue;
        // Most kernels return void; the space is better used for what tells them apart.
        std::string_view name = item.bands ? item.bands->names[box.name] : trace.string(box.name);
        if (name.starts_with("void "))
            name.remove_prefix(5);
        const uint64_t key =
            item.bands ? bandKey(*item.bands, box.name) : (uint64_t{item.trace.value} << 32) | box.name;
        m_labels.draw(image, key, name, box.x0 + pad, y, box.x1 - box.x0 - 2 * pad + static_cast<int>(m_job.ratio),
                      tonesOf(box).ink);
    }
}

void LanePainter::paintHatched(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top,
                               int bottom)
{
    const int unit = std::max(1, static_cast<int>(std::lround(m_job.ratio)));
    const QRgb ink = toneOf(*drawn.item->bands, *m_job.palette),
               fine = drawn.item->bands->tone == BandTrack::Tone::None ? Palette::mixed(ink, m_job.palette->canvas, 0.4)
                                                                       : ink;
    for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y) {
        QRgb *line = pixels(image, y);
        std::copy(m_background.begin(), m_background.end(), line);
        for (size_t at = 0, next = 0; at < boxes.size(); at = next) {
            // Adjacent boxes that are too narrow for a hatch share one.
            const auto isNarrow = [&](const Box &box) { return box.x1 - box.x0 < kLeastOddWidth * unit; };
            for (next = at + 1; next < boxes.size() && isNarrow(boxes[next - 1]) && isNarrow(boxes[next]) &&
                                boxes[next].x0 <= boxes[next - 1].x1 + unit;)
                ++next;
            const int left = boxes[at].x0, right = boxes[next - 1].x1;
            if (right - left < kLeastOddWidth * unit) {
                std::fill(line + left, line + right, fine);
                continue;
            }
            for (int x = left; x < right - unit; ++x)
                if ((x + y) / unit % kHatch == 0 || x - left < unit || x >= right - 2 * unit || y < top + unit ||
                    y >= bottom - unit)
                    line[x] = fine;
        }
    }
    if (drawn.item->rowHeight < kLeastLabelRow || bottom <= m_clipTop || top >= m_clipBottom)
        return;
    const BandTrack &track = *drawn.item->bands;
    const int pad = static_cast<int>(4 * m_job.ratio);
    const int y = top + (bottom - top - m_labels.height()) / 2;
    for (const Box &box : boxes) {
        if (box.x1 - box.x0 < kLeastHatchLabel * m_job.ratio)
            continue;
        const auto draw = [&] {
            return m_labels.draw(image, bandKey(track, box.name), track.names[box.name], box.x0 + pad, y,
                                 box.x1 - box.x0 - 2 * pad, m_job.palette->dimText);
        };
        // The name has its own background, because lines through letters make them hard to read.
        const int from = box.x0 + pad - 2 * unit, to = std::min(box.x0 + pad + draw() + 2 * unit, box.x1 - 2 * unit);
        for (int row = std::max(top + unit, m_clipTop); row < std::min(bottom - unit, m_clipBottom); ++row)
            std::fill(pixels(image, row) + from, pixels(image, row) + std::max(from, to), m_job.palette->canvas);
        draw();
    }
}

void LanePainter::paintPatterns(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top,
                                int bottom)
{
    SliceColours &colours = m_colours[drawn.item->trace];
    const int unit = std::max(1, static_cast<int>(std::lround(m_job.ratio)));
    for (const Box &box : boxes) {
        const size_t index = colours.index(box);
        const ClassPattern pattern =
            index < nameColours().size() ? ClassPattern::Plain : patternOfFill(index - nameColours().size());
        if (pattern == ClassPattern::Plain || box.x1 - box.x0 < kLeastPatternWidth * unit)
            continue;
        const QRgb ink = (emphasised(*drawn.item, box) ? m_tones : m_dimmed)[index].softEdge;
        for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y) {
            QRgb *line = pixels(image, y);
            for (int x = box.x0; x < box.x1 - 1; ++x)
                if (isInked(pattern, x / unit, y / unit))
                    line[x] = ink;
        }
    }
}

void LanePainter::paintOdd(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom)
{
    const Trace &trace = *m_job.set->trace(drawn.item->trace);
    const int unit = std::max(1, static_cast<int>(std::lround(m_job.ratio)));
    const Segment *segment = nullptr;
    for (const Box &box : boxes) {
        if (box.x1 - box.x0 < kLeastOddWidth * unit)
            continue;
        const SliceId slice(box.slice);
        if (!segment || segment->indexOf(slice) == kNoRow)
            segment = trace.segmentOf(slice);
        if (!segment)
            continue;
        const uint16_t flags = segment->slices.flags[segment->indexOf(slice)];
        if (!(flags & (slice_flag::Crossing | slice_flag::Unfinished)))
            continue;
        const QRgb ink = emphasised(*drawn.item, box) ? m_job.palette->odd : m_job.palette->dimText;
        // Crossing slices get dashes along the upper edge, unfinished ones slanted lines towards the unknown end.
        const int from = std::max(box.x0 + unit, box.x1 - 24 * unit);
        for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y) {
            QRgb *line = pixels(image, y);
            if ((flags & slice_flag::Crossing) && y < top + 2 * unit)
                for (int x = box.x0; x < box.x1; ++x)
                    if ((x - box.x0) / unit % 6 < 4)
                        line[x] = ink;
            if (flags & slice_flag::Unfinished)
                for (int x = from; x < box.x1; ++x)
                    if ((x + y) / unit % 4 == 0)
                        line[x] = ink;
        }
    }
}

} // namespace riffle
