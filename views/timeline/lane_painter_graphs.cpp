// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The parts of lanes that are not slices: ticks of instants, and graphs.
#include "model/base/format.h"
#include "views/timeline/image_line.h"
#include "views/timeline/lane_painter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace riffle {

void LanePainter::paintInstants(QImage &image, const DrawnItem &drawn, int top)
{
    // An instant is a tick in the lane's upper edge, so that it hides no slices; in a lane without slices, the tick has
    // the lane's height. A small arrow is added unless another instant is close.
    const std::vector<Lane> &lanes = m_job.set->trace(drawn.item->trace)->lanes;
    const bool onlyInstants = drawn.item->lane.value < lanes.size() && lanes[drawn.item->lane.value].slices == 0;
    const int size = std::max(3, static_cast<int>(4 * m_job.ratio));
    const int edge = device(LaneLayout::kPadding);
    QRgb colour = m_job.palette->instant;
    const auto put = [&](int x0, int x1, int y) {
        if (y < m_clipTop || y >= m_clipBottom)
            return;
        QRgb *line = pixels(image, y);
        for (int x = std::max(0, x0); x < std::min(image.width(), x1); ++x)
            line[x] = colour;
    };
    for (size_t i = 0; i < drawn.instants.size(); ++i) {
        const int x = drawn.instants[i].x;
        const bool crowded = (i > 0 && x - drawn.instants[i - 1].x < 2 * size) ||
                             (i + 1 < drawn.instants.size() && drawn.instants[i + 1].x - x < 2 * size);
        for (int row = 0; row < (onlyInstants ? device(drawn.item->height) - 2 * edge : edge); ++row)
            put(x, x + 1, top + row);
        for (int row = 0; row < size && !crowded; ++row)
            put(x - (size - 1 - row), x + size - row, top + row);
    }
    // Every failed allocation stays visible among other instants: it is an arrow of twice the size.
    colour = m_job.palette->odd;
    for (const InstantTick &tick : drawn.instants)
        for (int row = 0; row < 2 * size && tick.failed; ++row)
            put(tick.x - (2 * size - 1 - row) / 2, tick.x + 1 + (2 * size - 1 - row) / 2, top + row);
}

void LanePainter::paintGraph(QImage &image, const DrawnItem &drawn, int top, int bottom)
{
    const LaneItem &item = *drawn.item;
    const auto &all = (*m_job.graphs)[item.trace];
    if (!all || item.graph >= all->size())
        return;
    const TraceGraph &graph = (*all)[item.graph];
    const double low = std::min(0.0, graph.graph.low());
    const double high = std::max(graph.graph.high(), low + 1e-300);
    const int head = top + std::max(1, static_cast<int>(4 * m_job.ratio));
    const int foot = bottom - 1;
    const auto yOf = [&](double value) {
        const double share = high > low ? (value - low) / (high - low) : 0;
        return foot - static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (foot - head)));
    };
    const int zero = yOf(0);
    const int thick = std::max(1, static_cast<int>(std::lround(m_job.ratio)));
    int before = -1;
    for (size_t x = 0; x < drawn.columns.size() && x < static_cast<size_t>(image.width()); ++x) {
        const CounterGraph::Column &column = drawn.columns[x];
        if (!column.any) {
            before = -1;
            continue;
        }
        int up = yOf(column.high);
        int down = yOf(column.low);
        if (before >= 0) { // joins the line to the column on the left
            up = std::min(up, before);
            down = std::max(down, std::min(before, foot));
        }
        before = yOf(column.low);
        const auto paintColumn = [&](int from, int to, QRgb colour) {
            for (int y = std::max(from, m_clipTop); y < std::min(to, m_clipBottom); ++y)
                pixels(image, y)[x] = colour;
        };
        paintColumn(std::min(yOf(column.high), zero), std::max(yOf(column.low), zero) + 1, m_job.palette->graphFill);
        paintColumn(up, std::max(down, up) + thick, m_job.palette->graphLine);
    }
    // A failed allocation is a line over the whole lane with a small arrow at the top.
    for (const int32_t at : drawn.marks)
        for (int y = std::max(top, m_clipTop); y < std::min(bottom, m_clipBottom); ++y) {
            const int wide = std::max(0, 4 * thick - (y - top));
            QRgb *line = pixels(image, y);
            for (int x = std::max(0, at - wide); x < std::min(image.width(), at + thick + wide); ++x)
                line[x] = m_job.palette->odd;
        }
    const std::string text = graph.unit == TraceGraph::Unit::Bytes
                                 ? formatBytes(static_cast<int64_t>(graph.graph.high()))
                                 : formatNumber(graph.graph.high());
    // The text has its own background, because the graph behind it may have any colour.
    const int y = top + static_cast<int>(2 * m_job.ratio);
    const int x = static_cast<int>(4 * m_job.ratio);
    // The text is its own key, because it changes when the trace grows.
    const uint64_t key = (uint64_t{1} << 63) | std::hash<std::string>()(text) >> 1;
    const int wide = m_labels.draw(image, key, text, x, y, image.width() / 2, m_job.palette->text);
    for (int row = std::max(y, m_clipTop); wide > 0 && row < std::min(y + m_labels.height(), m_clipBottom); ++row)
        std::fill(pixels(image, row) + x - 2, pixels(image, row) + std::min(x + wide + 2, image.width()),
                  m_job.palette->canvas);
    m_labels.draw(image, key, text, x, y, image.width() / 2, m_job.palette->text);
}

} // namespace riffle
