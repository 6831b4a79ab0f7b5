// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/preview_painter.h"

#include "views/common/look/qt_text.h"

#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

std::vector<const LoadPreview::PreviewLane *> ordered(const LoadPreview &preview)
{
    std::vector<const LoadPreview::PreviewLane *> lanes;
    lanes.reserve(preview.lanes.size());
    for (const auto &lane : preview.lanes)
        lanes.push_back(&lane);
    std::stable_sort(lanes.begin(), lanes.end(), [](const auto *a, const auto *b) { return a->stream && !b->stream; });
    return lanes;
}

} // namespace

void paintPreviewLanes(QPainter &painter, const QRect &area, const LoadPreview &preview, const Palette &palette)
{
    int y = area.top();
    std::vector<QRgb> line(static_cast<size_t>(std::max(1, area.width())));
    for (const auto *lane : ordered(preview)) {
        if (y >= area.bottom())
            return;
        if (!lane->busy.empty()) {
            for (size_t x = 0; x < line.size(); ++x) {
                const size_t first = x * lane->busy.size() / line.size();
                const size_t last = std::max(first + 1, (x + 1) * lane->busy.size() / line.size());
                float most = 0;
                for (size_t bin = first; bin < std::min(last, lane->busy.size()); ++bin)
                    most = std::max(most, lane->busy[bin]);
                const double share = most > 0 ? 0.2 + 0.8 * std::min(1.0f, most) : 0;
                line[x] = Palette::mixed(palette.canvas, palette.busy, share);
            }
            const QImage image(reinterpret_cast<const uchar *>(line.data()), static_cast<int>(line.size()), 1,
                               QImage::Format_RGB32);
            painter.drawImage(QRect(area.left(), y + 3, area.width(), kPreviewLaneHeight - 7), image);
        }
        painter.fillRect(area.left(), y + kPreviewLaneHeight - 1, area.width(), 1, QColor::fromRgb(palette.line));
        y += kPreviewLaneHeight;
    }
}

void paintPreviewNames(QPainter &painter, const QRect &area, const LoadPreview &preview, const Palette &palette)
{
    int y = area.top();
    const QFontMetrics metrics = painter.fontMetrics();
    painter.setPen(QColor::fromRgb(palette.text));
    for (const auto *lane : ordered(preview)) {
        if (y >= area.bottom())
            return;
        const QRect cell(area.left() + 12, y, area.width() - 18, kPreviewLaneHeight - 1);
        painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(singleLine(toQString(lane->name)), metrics, cell.width()));
        painter.fillRect(area.left(), y + kPreviewLaneHeight - 1, area.width(), 1, QColor::fromRgb(palette.line));
        y += kPreviewLaneHeight;
    }
}

std::vector<float> previewBusy(const LoadPreview &preview)
{
    const bool streams =
        std::any_of(preview.lanes.begin(), preview.lanes.end(), [](const auto &lane) { return lane.stream; });
    std::vector<float> busy(LoadPreview::kBins, 0.0f);
    for (const auto &lane : preview.lanes)
        if (lane.stream == streams)
            for (size_t bin = 0; bin < std::min(busy.size(), lane.busy.size()); ++bin)
                busy[bin] = std::max(busy[bin], std::min(1.0f, lane.busy[bin]));
    return busy;
}

} // namespace riffle
