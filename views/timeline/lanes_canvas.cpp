// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lanes_canvas.h"

#include "model/base/big_vector.h"
#include "model/base/interval_set.h"
#include "views/common/chart/chart.h"
#include "views/timeline/preview_painter.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace riffle {

LanesCanvas::LanesCanvas(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAttribute(Qt::WA_InputMethodEnabled, false);
    setMouseTracking(true);
    setMinimumSize(80, 40);
    connect(state, &TimelineState::layoutChanged, this, &LanesCanvas::invalidate);
    connect(state, &TimelineState::scrolled, this, &LanesCanvas::onScrolled);
    connect(state, &TimelineState::picturesChanged, this, &LanesCanvas::invalidate);
    connect(state, &TimelineState::sessionChanged, this, &LanesCanvas::onSession);
    connect(state->pane(), &Pane::changed, this, &LanesCanvas::onPane);
    onSession(Session::Traces);
}

void LanesCanvas::invalidate()
{
    m_listsValid = false;
    m_onlyScrolled = false;
    m_imageValid = false;
    update();
}

void LanesCanvas::onScrolled()
{
    const bool onlyScrolled = m_listsValid || m_onlyScrolled;
    invalidate();
    m_onlyScrolled = onlyScrolled;
}

void LanesCanvas::onSession(Session::Changes changes)
{
    if (changes & (Session::Traces | Session::Members))
        m_painter.setTraces(m_state->traces());
    else if (changes & Session::Grown)
        m_painter.growTraces(m_state->traces());
    if (changes & (Session::Placement | Session::Selection))
        m_flows.setSelection(m_state->traces(), m_state->session()->selected());
    if (changes & (Session::Placement | Session::Highlight | Session::Filter | Session::Steps))
        invalidate();
    else if (changes & (Session::Selection | Session::Area | Session::Marks))
        update();
}

void LanesCanvas::onPane(Pane::Changes changes)
{
    if (changes & Pane::Partner)
        update();
    if (changes & Pane::VisibleRange)
        invalidate();
    else if (changes & Pane::Hover) {
        const QRegion now = hoverRegion();
        update(m_hovered + now);
        m_hovered = now;
    }
}

QRegion LanesCanvas::hoverRegion() const
{
    QRegion region;
    const Pane &pane = *m_state->pane();
    if (pane.cursor()) {
        const double x = xAt(*pane.cursor());
        if (x > -10 && x < width() + 10)
            region += QRect(static_cast<int>(std::floor(x)) - 1, 0, 4, height());
    }
    if (const auto box = rectOf(pane.hovered()))
        region += box->adjusted(-3, -3, 3, 3).intersected(QRectF(rect())).toAlignedRect();
    return region;
}

TimeScale LanesCanvas::scale() const { return TimeScale(m_state->pane()->visibleRange(), std::max(1, width())); }

Ns LanesCanvas::timeAt(double x) const { return scale().timeAt(x); }

double LanesCanvas::xAt(Ns time) const { return scale().x(time); }

void LanesCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_state->setViewHeight(height());
    invalidate();
}

void LanesCanvas::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        invalidate();
}

void LanesCanvas::makeLists()
{
    // The window may have moved to a screen with another scale, which Qt 6.4 does not announce.
    const int columns = std::max(1, static_cast<int>(std::ceil(width() * devicePixelRatioF())));
    if (m_listsValid && columns == m_columns)
        return;
    DrawList::Request request;
    request.set = &m_state->traces();
    request.graphs = &m_state->graphs();
    request.scale = TimeScale(m_state->pane()->visibleRange(), columns);
    request.hits = m_state->hits().empty() ? nullptr : &m_state->hits();
    request.squeezedHits = &m_state->squeezedHits();
    request.scrolled = m_onlyScrolled && columns == m_columns;
    std::vector<DrawList::Part> parts;
    for (const LaneWindow &window : m_state->viewport().windows()) {
        request.section = window.section;
        request.yBegin = window.first();
        request.yEnd = std::min(window.last(), window.end);
        parts.push_back({&m_lists[static_cast<size_t>(window.part)], request});
    }
    DrawList::buildTogether(parts);
    m_columns = columns;
    m_listsValid = true;
    m_onlyScrolled = false;
}

void LanesCanvas::makeImage()
{
    if (m_imageValid && m_hasPatterns == SeriesStyle::patterns())
        return;
    m_hasPatterns = SeriesStyle::patterns();
    makeLists();
    const double ratio = devicePixelRatioF();
    const QSize size(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(1);

    QFont font = this->font();
    font.setPixelSize(11);
    m_painter.setFont(font, ratio);
    LanePainter::Job job;
    job.set = &m_state->traces();
    job.graphs = &m_state->graphs();
    job.highlight = &m_state->emphasisedNames();
    job.excluded = [this](const LaneItem &item) { return m_state->excluded(item); };
    job.slices = &m_state->emphasisedSlices();
    job.colours = m_state->colourMode();
    job.classes = &m_state->workClasses();
    job.tints = &m_state->tints();
    job.patterns = m_hasPatterns;
    job.palette = &Palette::fitting(palette());
    job.scale = TimeScale(m_state->pane()->visibleRange(), size.width());
    job.ratio = ratio;
    job.timeOrigin = m_state->pane()->origin();
    const std::span<const LaneWindow> windows = m_state->viewport().windows();
    for (const LaneWindow &window : windows) {
        job.list = &listOf(window.part);
        job.yOffset = window.offset();
        job.clipTop = window.top;
        job.clipBottom = &window == &windows.back() ? height() + 1 : (&window + 1)->top; // also behind the divider
        m_painter.paint(m_image, job);
    }
    m_image.setDevicePixelRatio(ratio);
    m_imageValid = true;
    emit pictureChanged();
}

void LanesCanvas::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    if (m_state->traces().empty()) {
        painter.fillRect(event->rect(), QColor::fromRgb(colours.canvas));
        if (m_state->preview())
            paintPreviewLanes(painter, rect(), *m_state->preview(), colours);
        return;
    }
    makeImage();
    const double ratio = m_image.devicePixelRatio();
    const QRect part = event->rect();
    painter.drawImage(QRectF(part), m_image,
                      QRectF(part.x() * ratio, part.y() * ratio, part.width() * ratio, part.height() * ratio));
    paintOverlay(painter);
}

void LanesCanvas::paintOverlay(QPainter &painter)
{
    const Palette &colours = Palette::fitting(palette());
    shadeOtherSteps(painter);
    paintArea(painter);
    paintMarks(painter);
    outline(painter, m_state->pane()->hovered(), colours.hover, 1);
    m_flows.paint(painter, QRectF(rect()), colours, [this](SliceRef slice) { return rectOf(slice); });
    for (const SliceRef &slice : m_state->session()->alsoSelected())
        outline(painter, slice, colours.selection, 2);
    if (const SliceRef partner = m_state->pane()->partner(); partner != m_state->session()->selected()) {
        outline(painter, partner, colours.canvas, 3.5);
        outline(painter, partner, colours.selection, 2, Qt::DashLine);
    }
    outline(painter, m_state->session()->selected(), colours.canvas, 3.5);
    outline(painter, m_state->session()->selected(), colours.selection, 2);
    if (const LaneWindow &top = m_state->viewport().windows().front(); top.part == LaneWindow::Part::Pinned)
        painter.fillRect(0, top.bottom - 1, width(), 2, QColor::fromRgb(colours.dimText));
    if (const auto cursor = m_state->pane()->cursor()) {
        const double x = std::floor(xAt(*cursor));
        if (x >= 0 && x < width()) {
            QColor line = QColor::fromRgb(colours.cursor);
            line.setAlpha(150);
            painter.fillRect(QRectF(x, 0, 1, height()), line);
        }
    }
}

void LanesCanvas::shadeOtherSteps(QPainter &painter)
{
    const std::vector<int64_t> &wanted = m_state->session()->filters().steps;
    if (wanted.empty())
        return;
    BigVector<TimeSpan> spans;
    const Session &session = *m_state->session();
    for (const LoadedTrace &member : m_state->traces().loaded())
        for (const Step &step : session.stepsOf(member.id))
            if (std::find(wanted.begin(), wanted.end(), step.number) != wanted.end())
                spans.push_back(member.time.toSet(step.span));
    const QColor shade = QColor::fromRgba(Palette::fitting(palette()).shade);
    double left = 0;
    const IntervalSet inside = IntervalSet::unionOf(std::move(spans));
    for (const TimeSpan &span : inside.intervals()) {
        const double begin = std::clamp(xAt(span.begin), left, width() + 1.0);
        painter.fillRect(QRectF(left, 0, begin - left, height()), shade);
        left = std::clamp(xAt(span.end), left, width() + 1.0);
    }
    painter.fillRect(QRectF(left, 0, width() - left, height()), shade);
}

/// Calls `paint` with the top and the bottom of every strip in view that is chosen.
void LanesCanvas::forStrips(const std::function<bool(const LaneItem &)> &isChosen,
                            const std::function<void(double, double)> &paint) const
{
    for (const LaneWindow &window : m_state->viewport().windows())
        for (const LaneItem &item : window.seen())
            if (isChosen(item))
                paint(std::max(item.y + window.offset(), window.top),
                      std::min(item.y + item.height + window.offset(), window.bottom));
}

void LanesCanvas::paintArea(QPainter &painter)
{
    const Palette &colours = Palette::fitting(palette());
    const auto area = m_state->session()->area();
    const QColor fill = QColor::fromRgba(colours.area);
    const QColor edge = QColor::fromRgba(colours.areaEdge);
    if (!area || !m_state->pane()->shows(*area))
        return;
    const TimeSpan span = area->in(m_state->traces());
    const double x0 = std::clamp(xAt(span.begin), -10.0, width() + 10.0);
    const double x1 = std::clamp(xAt(span.end), -10.0, width() + 10.0);
    const auto paintBand = [&](double top, double bottom) {
        painter.fillRect(QRectF(x0, top, x1 - x0, bottom - top), fill);
    };
    const auto isChosen = [&](const LaneItem &item) {
        return item.kind == LaneItem::Kind::Slices &&
               std::find(area->lanes.begin(), area->lanes.end(), LaneRef{item.trace, item.lane}) != area->lanes.end();
    };
    if (area->lanes.empty())
        paintBand(0, height());
    else
        forStrips(isChosen, paintBand);
    painter.fillRect(QRectF(std::floor(x0), 0, 1, height()), edge);
    painter.fillRect(QRectF(std::floor(x1), 0, 1, height()), edge);
}

/// Paints marks over all lanes. One on a rank is strong only over the lanes of that rank.
void LanesCanvas::paintMarks(QPainter &painter)
{
    const TraceSet &traces = m_state->traces();
    const QColor line = QColor::fromRgb(Palette::fitting(palette()).mark);
    QColor band = line, faint = line;
    band.setAlpha(22);
    faint.setAlpha(70);
    for (const Mark &mark : m_state->session()->marks()) {
        if (!m_state->pane()->shows(mark))
            continue;
        const TimeSpan span = mark.in(traces);
        const double x0 = std::clamp(xAt(span.begin), -10.0, width() + 10.0);
        const double x1 = std::clamp(xAt(span.end), -10.0, width() + 10.0);
        const auto paintEdges = [&](double top, double bottom, const QColor &colour) {
            painter.fillRect(QRectF(std::floor(x0), top, 1, bottom - top), colour);
            if (!span.empty())
                painter.fillRect(QRectF(std::floor(x1), top, 1, bottom - top), colour);
        };
        const auto paintPart = [&](double top, double bottom) {
            if (x1 > x0)
                painter.fillRect(QRectF(x0, top, x1 - x0, bottom - top), band);
            paintEdges(top, bottom, line);
        };
        if (!traces.member(mark.trace) || traces.members().size() < 2) {
            paintPart(0, height());
            continue;
        }
        paintEdges(0, height(), faint);
        forStrips([&](const LaneItem &item) { return item.trace == mark.trace; }, paintPart);
    }
}

void LanesCanvas::outline(QPainter &painter, SliceRef slice, QRgb colour, double thickness, Qt::PenStyle style)
{
    const auto box = rectOf(slice);
    if (!box)
        return;
    QRectF shown = *box;
    const LaneItem *item = nullptr;
    if (const Trace *trace = m_state->traces().trace(slice.trace))
        if (const Segment *segment = trace->segmentOf(slice.slice))
            item = m_state->layout().find({slice.trace, segment->lane});
    if (!item)
        return;
    const LaneWindow &window = m_state->viewport().of(*item);
    shown.setLeft(std::max(shown.left(), -8.0));
    shown.setRight(std::min(shown.right(), width() + 8.0));
    if (shown.width() < 0 || shown.bottom() <= window.top || shown.top() >= window.bottom)
        return;
    painter.save();
    painter.setClipRect(0, window.top, width(), window.bottom - window.top, Qt::IntersectClip);
    painter.setPen(QPen(QColor::fromRgb(colour), thickness, style, style == Qt::SolidLine ? Qt::SquareCap : Qt::FlatCap,
                        Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const double inset = thickness / 2;
    painter.drawRect(QRectF(std::floor(shown.left()) + inset - 1, std::floor(shown.top()) + inset - 1,
                            std::max(1.0, std::ceil(shown.right()) - std::floor(shown.left())) + 2 - thickness,
                            shown.height() + 2 - thickness));
    painter.restore();
}

Hit LanesCanvas::hitAt(QPoint point)
{
    if (m_state->traces().empty() || !rect().contains(point))
        return {};
    makeLists();
    const double ratio = devicePixelRatioF();
    const int column = static_cast<int>(point.x() * ratio);
    const int reach = static_cast<int>(3 * ratio);
    const LaneWindow &window = m_state->viewport().at(point.y());
    if (!window.contains(point.y()))
        return {};
    return hitTest(listOf(window.part), *window.section, column, point.y() - window.offset(), reach);
}

const LaneItem *LanesCanvas::itemAt(int y) const { return m_state->viewport().itemAt(y); }

std::vector<LaneRef> LanesCanvas::lanesBetween(int y0, int y1) const
{
    std::vector<LaneRef> lanes;
    for (const LaneWindow &window : m_state->viewport().windows())
        for (const LaneItem &item :
             LaneLayout::between(*window.section, std::max(y0, window.top) - window.offset(),
                                 std::min(std::min(y1, window.bottom) - window.offset(), window.end)))
            if (item.kind == LaneItem::Kind::Slices)
                lanes.push_back({item.trace, item.lane});
    return lanes;
}

std::optional<QRectF> LanesCanvas::rectOf(SliceRef ref) const
{
    const Trace *trace = ref.valid() ? m_state->traces().trace(ref.trace) : nullptr;
    const Segment *segment = trace ? trace->segmentOf(ref.slice) : nullptr;
    const LaneItem *item = segment ? m_state->layout().find({ref.trace, segment->lane}) : nullptr;
    const auto found = item ? rowInStrip(*item, *segment, ref.slice) : std::nullopt;
    if (!found)
        return std::nullopt;
    const uint32_t index = segment->indexOf(ref.slice);
    const uint32_t row = std::min(*found, item->rows - 1);
    const TimeMap &map = m_state->traces().time(ref.trace);
    const double left = xAt(map.toSet(segment->slices.start[index]));
    const double right = xAt(map.toSet(segment->end(index)));
    const double top = item->y + m_state->viewport().of(*item).offset() + LaneLayout::kPadding +
                       static_cast<double>(row) * item->rowHeight;
    const double gap = item->rowHeight >= 5 ? 1 : 0;
    return QRectF(left, top, std::max(1.0, right - left), item->rowHeight - gap);
}

} // namespace riffle
