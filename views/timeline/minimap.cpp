// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/minimap.h"

#include "model/analysis/summary/summary.h"
#include "model/layout/time_scale.h"
#include "views/common/look/palette.h"
#include "views/timeline/preview_painter.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace riffle {

namespace {
const auto kLinesJob = QStringLiteral("busy");
constexpr size_t kBins = 4096;
constexpr int kGrip = 5;
constexpr int kTickHeight = 5; ///< pixels
constexpr int kMargin = 4;     ///< pixels above and below the lines
constexpr int kLowLine = 6;    ///< pixels: lower lines show shares by their colour, because bars would all look alike

/// Returns the mean of several lines, so that more lines than there are pixels can be shown.
std::vector<float> meanOf(std::span<const BusyLine> lines)
{
    std::vector<float> mean(lines.front().share.size(), 0.0f);
    for (const BusyLine &line : lines)
        for (size_t bin = 0; bin < mean.size(); ++bin)
            mean[bin] += line.share[bin] / static_cast<float>(lines.size());
    return mean;
}
} // namespace

Minimap::Minimap(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setFixedHeight(52);
    connect(state, &TimelineState::layoutChanged, this, qOverload<>(&QWidget::update));
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members | Session::Clock))
            onTraces();
        else if (changes & Session::Renewed)
            findLines(); // the present ones stay until then
        if (changes & (Session::Placement | Session::Marks))
            update();
    });
    connect(state->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::VisibleRange)
            update();
    });
    onTraces();
}

void Minimap::leaveOut()
{
    m_state->disconnect(this);
    m_state->pane()->disconnect(this);
    m_state->jobs().cancel(kLinesJob);
    hide();
}

void Minimap::onTraces()
{
    m_lines.clear();
    m_picture = QImage();
    emit linesChanged();
    findLines();
}

void Minimap::findLines()
{
    const TraceSet set = m_state->pane()->partOf(m_state->session()->facts()->set());
    if (set.empty())
        return;
    m_state->jobs().run(kLinesJob, m_state->session()->inTurn([set](const std::stop_token &stop) {
        return busyLines(set, set.askedSpan(), kBins, Task{stop, nullptr});
    }),
                        [this, span = set.askedSpan()](std::vector<BusyLine> lines) {
                            m_lines = std::move(lines);
                            m_linesSpan = span;
                            m_picture = QImage();
                            emit linesChanged();
                            update();
                        });
}

PerTrace<std::optional<double>> Minimap::busyRanks() const
{
    PerTrace<std::pair<double, int>> sums;
    for (const BusyLine &line : m_lines) {
        sums[line.trace].first += meanShare(line);
        ++sums[line.trace].second;
    }
    PerTrace<std::optional<double>> shares;
    for (const BusyLine &line : m_lines)
        shares[line.trace] = sums[line.trace].first / sums[line.trace].second;
    return shares;
}

double Minimap::meanShare(const BusyLine &line)
{
    double sum = 0;
    for (const float share : line.share)
        sum += static_cast<double>(share);
    return line.share.empty() ? 0 : sum / static_cast<double>(line.share.size());
}

TimeScale Minimap::scale() const { return TimeScale(m_state->pane()->wholeRange(), std::max(1, width())); }

void Minimap::paintLine(QPainter &painter, const QRect &area, const std::vector<float> &share) const
{
    const Palette &colours = Palette::fitting(palette());
    if (share.empty())
        return;
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, QColor::fromRgb(colours.line));
    const bool isLow = area.height() < kLowLine;
    for (int x = 0; x < area.width(); ++x) {
        const size_t first = static_cast<size_t>(x) * share.size() / static_cast<size_t>(area.width());
        const size_t last =
            std::max(first + 1, (static_cast<size_t>(x) + 1) * share.size() / static_cast<size_t>(area.width()));
        float sum = 0;
        for (size_t bin = first; bin < last; ++bin)
            sum += share[bin];
        const double mean = static_cast<double>(sum) / static_cast<double>(last - first);
        if (mean <= 0)
            continue;
        const double tall = isLow ? area.height() : std::max(1.0, mean * area.height());
        const QRgb colour =
            isLow ? Palette::mixed(colours.canvas, colours.busy, std::clamp(mean, 0.1, 1.0)) : colours.busy;
        painter.fillRect(QRectF(area.left() + x, area.bottom() + 1 - tall, 1, tall), QColor::fromRgb(colour));
    }
}

void Minimap::paintLines(QPainter &painter)
{
    const PictureOf now{size(), devicePixelRatioF(), &Palette::fitting(palette()), m_state->pane()->wholeRange(),
                        m_linesSpan};
    if (m_picture.isNull() || !(now == m_pictureOf)) {
        m_pictureOf = now;
        m_picture = QImage(
            QSize(static_cast<int>(std::ceil(width() * now.ratio)), static_cast<int>(std::ceil(height() * now.ratio))),
            QImage::Format_RGB32);
        m_picture.setDevicePixelRatio(now.ratio);
        m_picture.fill(now.colours->canvas);
        QPainter lines(&m_picture);
        const QRect inside = rect().adjusted(0, kMargin, 0, -kMargin);
        const int count = std::min(static_cast<int>(m_lines.size()), inside.height());
        const int first = static_cast<int>(std::floor(scale().x(now.read.begin)));
        const int wide = std::max(1, static_cast<int>(std::ceil(scale().x(now.read.end))) - first);
        for (int i = 0; i < count; ++i) {
            const int top = inside.top() + inside.height() * i / count;
            const int bottom = inside.top() + inside.height() * (i + 1) / count;
            const size_t from = static_cast<size_t>(i) * m_lines.size() / static_cast<size_t>(count);
            const size_t behind = (static_cast<size_t>(i) + 1) * m_lines.size() / static_cast<size_t>(count);
            const int gap = count > 1 && bottom - top > 2 ? 1 : 0;
            paintLine(lines, QRect(first, top, wide, bottom - top - gap),
                      meanOf(std::span(m_lines).subspan(from, behind - from)));
        }
    }
    painter.drawImage(QPointF(0, 0), m_picture);
}

void Minimap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    if (m_state->traces().empty()) {
        painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
        if (m_state->preview())
            paintLine(painter, rect().adjusted(0, kMargin, 0, -kMargin), previewBusy(*m_state->preview()));
    } else {
        paintLines(painter);
        const TimeSpan range = m_state->pane()->visibleRange();
        double left = scale().x(range.begin);
        double right = scale().x(range.end);
        if (right - left < 3) {
            const double middle = (left + right) / 2;
            left = middle - 1.5;
            right = middle + 1.5;
        }
        const QColor shade = QColor::fromRgba(colours.shade);
        painter.fillRect(QRectF(0, 0, std::max(0.0, left), height()), shade);
        painter.fillRect(QRectF(right, 0, std::max(0.0, width() - right), height()), shade);
        const QColor edge = QColor::fromRgb(colours.accent);
        painter.setPen(edge);
        painter.setBrush(Qt::NoBrush);
        const QRectF box(std::clamp(std::floor(left), 0.0, width() - 2.0), 0.0, 0, 0);
        painter.drawRect(
            QRectF(box.left(), 0, std::max(1.0, std::min(std::ceil(right), width() - 1.0) - box.left()), height() - 2));
        for (const Mark &mark : m_state->session()->marks())
            if (m_state->pane()->shows(mark))
                painter.fillRect(QRectF(std::floor(scale().x(mark.in(m_state->traces()).begin)), 0, 1, height()),
                                 QColor::fromRgb(colours.mark));
        paintTicks(painter);
    }
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
}

void Minimap::setTicks(std::vector<bool> ticks)
{
    m_ticks = std::move(ticks);
    update();
}

void Minimap::paintTicks(QPainter &painter) const
{
    const QColor colour = QColor::fromRgb(Palette::fitting(palette()).accent);
    const size_t wide = static_cast<size_t>(std::max(1, width()));
    for (size_t part = 0; part < m_ticks.size(); ++part)
        if (m_ticks[part])
            painter.fillRect(static_cast<int>(part * wide / m_ticks.size()), 0, 2, kTickHeight, colour);
}

Minimap::Drag Minimap::gripAt(double x) const
{
    const TimeSpan range = m_state->pane()->visibleRange();
    const double left = scale().x(range.begin);
    const double right = scale().x(range.end);
    const bool whole = left < 3 && right > width() - 3;
    if (whole)
        return Drag::Span;
    if (right - left > 4 * kGrip) {
        if (std::abs(x - left) <= kGrip)
            return Drag::Left;
        if (std::abs(x - right) <= kGrip)
            return Drag::Right;
    }
    const double slack = std::max(0.0, (2.0 * kGrip - (right - left)) / 2);
    return x >= left - slack && x <= right + slack ? Drag::Box : Drag::Span;
}

void Minimap::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_state->traces().empty())
        return;
    m_pressedX = event->position().x();
    m_pressedRange = m_state->pane()->visibleRange();
    m_drag = gripAt(m_pressedX);
}

void Minimap::mouseMoveEvent(QMouseEvent *event)
{
    Pane *pane = m_state->pane();
    if (m_state->traces().empty())
        return;
    const double x = event->position().x();
    const Ns moved = scale().timeAt(x) - scale().timeAt(m_pressedX);
    switch (m_drag) {
    case Drag::None: {
        const Drag grip = gripAt(x);
        setCursor(grip == Drag::Box ? Qt::OpenHandCursor : grip == Drag::Span ? Qt::ArrowCursor : Qt::SizeHorCursor);
        break;
    }
    case Drag::Box: pane->setVisibleRange({m_pressedRange.begin + moved, m_pressedRange.end + moved}); break;
    case Drag::Left:
        pane->setVisibleRange(
            {std::min(m_pressedRange.begin + moved, m_pressedRange.end - kNarrowestRange), m_pressedRange.end});
        break;
    case Drag::Right:
        pane->setVisibleRange(
            {m_pressedRange.begin, std::max(m_pressedRange.end + moved, m_pressedRange.begin + kNarrowestRange)});
        break;
    case Drag::Span:
        if (std::abs(x - m_pressedX) >= 4)
            pane->setVisibleRange({scale().timeAt(std::min(x, m_pressedX)), scale().timeAt(std::max(x, m_pressedX))});
        break;
    }
}

void Minimap::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Span && std::abs(event->position().x() - m_pressedX) < 4) {
        const TimeSpan range = m_state->pane()->visibleRange();
        const Ns middle = scale().timeAt(event->position().x());
        m_state->pane()->goTo({middle - range.duration() / 2, middle - range.duration() / 2 + range.duration()});
    }
}

} // namespace riffle
