// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/landscape_canvas.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kGutter = 76; ///< for the labels of heights at the left
constexpr int kAxis = 22;   ///< for the labels of positions below
constexpr int kRight = 8;
constexpr int kTop = 4;
} // namespace

LandscapeCanvas::LandscapeCanvas(LandscapeState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setAccessibleName(tr("Memory over time"));
    setMinimumSize(220, 120);
    connect(state, &LandscapeState::dataChanged, this, [this] {
        m_columnsValid = m_imageValid = false;
        update();
    });
    connect(state, &LandscapeState::coloursChanged, this, [this] {
        m_imageValid = false;
        update();
        emit coloursChanged();
    });
    state->setPalette(Palette::fitting(palette()));
    connect(state, &LandscapeState::sightChanged, this, &LandscapeCanvas::dropPicture);
    connect(state->memory(), &MemorySession::changed, this, qOverload<>(&QWidget::update));
}

int LandscapeCanvas::markRows() const
{
    if (!m_state->data())
        return 0;
    int rows = 0;
    for (const LandscapeMark &mark : m_state->marks())
        rows = std::max(rows, mark.row + 1);
    return rows;
}

QRectF LandscapeCanvas::plot() const
{
    const int above = kKeyHeight + kTop + markRows() * kMarkHeight;
    return QRectF(kGutter, above, std::max(10, width() - kGutter - kRight), std::max(10, height() - above - kAxis));
}

TimeScale LandscapeCanvas::scale() const
{
    return TimeScale(m_state->range(), std::max(1, static_cast<int>(plot().width())));
}

double LandscapeCanvas::yOf(double bytes) const
{
    const QRectF box = plot();
    return box.bottom() - (bytes - m_state->bottom()) / (m_state->top() - m_state->bottom()) * box.height();
}

double LandscapeCanvas::bytesAt(double y) const
{
    const QRectF box = plot();
    return m_state->bottom() + (box.bottom() - y) / box.height() * (m_state->top() - m_state->bottom());
}

uint32_t LandscapeCanvas::slotAt(double x) const
{
    const auto column = static_cast<int64_t>(std::floor((x - plot().left()) * devicePixelRatioF()));
    if (m_columnsValid && column >= 0 && static_cast<size_t>(column) < m_columns.size())
        return m_columns[static_cast<size_t>(column)].slot;
    return m_state->axis().slotAt(positionAt(x));
}

LandscapeCanvas::Hit LandscapeCanvas::hitAt(QPointF point) const
{
    Hit hit;
    const Landscape *landscape = m_state->landscape();
    if (!landscape || !plot().contains(point))
        return hit;
    hit.inside = true;
    hit.slot = slotAt(point.x());
    hit.height = static_cast<int64_t>(std::clamp(std::floor(bytesAt(point.y())), -1.0, 9e18));
    if (hit.height < 0)
        return hit;
    if (const uint32_t band = landscape->bandAt(hit.slot, hit.height); band != Landscape::kNone)
        hit.allocation = landscape->row(band);
    else
        hit.rest = hit.height < m_state->data()->levels.at(hit.slot)[1];
    return hit;
}

std::optional<QRectF> LandscapeCanvas::rectOf(uint32_t allocation, uint32_t slot) const
{
    const Landscape *landscape = m_state->landscape();
    const uint32_t band = landscape ? landscape->bandOf(allocation) : Landscape::kNone;
    const auto base = band == Landscape::kNone ? std::nullopt : landscape->base(band, slot);
    if (!base)
        return std::nullopt;
    const double low = yOf(static_cast<double>(*base)),
                 high = yOf(static_cast<double>(*base) + static_cast<double>(landscape->size(band)));
    const double left = xOf(slot);
    return QRectF(left, high, std::max(1.0, xOf(slot + 1) - left), low - high);
}

void LandscapeCanvas::dropPicture()
{
    m_columnsValid = m_imageValid = false;
    update();
}

void LandscapeCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    dropPicture();
}

void LandscapeCanvas::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_state->setPalette(Palette::fitting(palette()));
        m_imageValid = false;
        update();
    }
}

/// Each column of pixels shows the slot with the most active memory, so that no peak is lost.
void LandscapeCanvas::makeColumns(const std::vector<std::pair<uint32_t, uint32_t>> &seen, size_t first, size_t last)
{
    for (size_t at = first; at < last; ++at) {
        const bool same = at > first && seen[at] == seen[at - 1];
        m_extents[at] = same ? m_extents[at - 1] : m_state->data()->levels.over(seen[at].first, seen[at].second);
        m_columns[at] = {m_extents[at].highest, m_extents[at].high[1]};
    }
}

void LandscapeCanvas::makePicture()
{
    const Palette &palette = Palette::fitting(this->palette());
    const double ratio = devicePixelRatioF();
    std::vector<std::pair<uint32_t, uint32_t>> seen; // the slots of each column
    if (!m_columnsValid) {
        seen =
            m_state->axis().columns(TimeScale(m_state->range(), std::max(1, static_cast<int>(plot().width() * ratio))));
        m_columns.resize(seen.size());
        m_extents.resize(seen.size());
    }
    const QSize size(static_cast<int>(m_columns.size()), std::max(1, static_cast<int>(plot().height() * ratio)));
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(ratio);
    LandscapeLook look;
    look.columns = m_columns;
    if (!m_columnsValid)
        look.makeColumns = [&](size_t first, size_t last) { makeColumns(seen, first, last); };
    look.bottom = m_state->bottom();
    look.bytesPerPixel = (m_state->top() - m_state->bottom()) / size.height();
    look.height = size.height();
    look.colours = m_state->colours().colours;
    look.background = palette.canvas;
    look.rest[0] = Palette::mixed(palette.canvas, palette.dimText, 0.35);
    look.rest[1] = Palette::mixed(palette.canvas, palette.dimText, 0.25);
    paintLandscape(*m_state->landscape(), look, reinterpret_cast<uint32_t *>(m_image.bits()),
                   static_cast<size_t>(m_image.bytesPerLine()) / 4);
    m_columnsValid = true;
    paintLevels(static_cast<size_t>(size.width()), static_cast<size_t>(size.height()));
    m_imageValid = true;
}

/// Paints levels as steps, from the lowest to the highest value in each column, joined with the previous column.
void LandscapeCanvas::paintLevels(size_t width, size_t height)
{
    const Palette &palette = Palette::fitting(this->palette());
    const QRgb colours[] = {palette.accent, palette.selection, palette.mark};
    auto *pixels = reinterpret_cast<uint32_t *>(m_image.bits());
    const size_t stride = static_cast<size_t>(m_image.bytesPerLine()) / 4;
    const double perPixel = (m_state->top() - m_state->bottom()) / static_cast<double>(height);
    const auto thick = std::max<int64_t>(1, std::lround(devicePixelRatioF()));
    const auto row = [&](int64_t bytes) {
        const double y = static_cast<double>(height) - (static_cast<double>(bytes) - m_state->bottom()) / perPixel;
        return static_cast<int64_t>(std::clamp(std::floor(y), -1e6, 1e6));
    };
    for (const size_t level : {size_t(2), size_t(1), size_t(0)}) {
        for (size_t x = 0; x < width; ++x) {
            int64_t from = row(m_extents[x].high[level]), to = row(m_extents[x].low[level]);
            if (x > 0) {
                from = std::min(from, row(m_extents[x - 1].low[level]));
                to = std::max(to, row(m_extents[x - 1].high[level]));
            }
            from = std::max<int64_t>(0, from - thick / 2);
            to = std::min<int64_t>(static_cast<int64_t>(height) - 1, to + (thick - 1) / 2);
            for (int64_t y = from; y <= to; ++y)
                pixels[static_cast<size_t>(y) * stride + x] = colours[level];
        }
    }
}

void LandscapeCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    QFont font = this->font();
    font.setPixelSize(11);
    painter.setFont(font);
    if (!m_state->landscape()) {
        painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
        painter.setPen(QColor::fromRgb(colours.dimText));
        if (m_state->memory()->device()) // otherwise, a notice covers the view
            painter.drawText(rect(), Qt::AlignCenter, tr("Stacking allocations …"));
        return;
    }
    if (!m_imageValid)
        makePicture();
    const QSizeF size = QSizeF(m_image.size()) / devicePixelRatioF();
    const QRect picture(plot().topLeft().toPoint(),
                        QSize(static_cast<int>(size.width()), static_cast<int>(size.height())));
    for (const QRect &around : QRegion(rect()) - picture)
        painter.fillRect(around, QColor::fromRgb(colours.canvas));
    painter.drawImage(plot().topLeft(), m_image);
    paintGrid(painter);
    paintHeights(painter);
    paintPositions(painter);
    paintMarks(painter);
    painter.save();
    painter.setClipRect(plot());
    paintOverlay(painter);
    painter.restore();
    paintLegend(painter);
}

} // namespace riffle
