// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocator/allocator_canvas.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace riffle {

namespace {

constexpr int kMargin = 8;

} // namespace

AllocatorCanvas::AllocatorCanvas(AllocatorModel *model, QWidget *parent) : QAbstractScrollArea(parent), m_model(model)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Map of the allocator's memory"));
    connect(model, &AllocatorModel::stateChanged, this, [this] { layOut(); });
    connect(model, &AllocatorModel::mapChanged, this, [this] { layOut(); });
    connect(model->memory(), &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (changes & (MemorySession::Selection | MemorySession::Hover))
            viewport()->update();
    });
}

void AllocatorCanvas::layOut()
{
    const AllocatorState *state = m_model->state();
    m_order.clear();
    m_headings.clear();
    m_itemOf.clear();
    std::vector<SegmentFlow::Item> items;
    if (state) {
        m_order.resize(state->segments.size());
        m_itemOf.resize(state->segments.size());
        std::iota(m_order.begin(), m_order.end(), 0u);
        const auto group = [&](uint32_t row) {
            return std::pair(state->segments[row].range.stream, state->segments[row].range.pool);
        };
        std::stable_sort(m_order.begin(), m_order.end(), [&](uint32_t a, uint32_t b) { return group(a) < group(b); });
        AllocatorFigures sum;
        const auto head = [&](uint32_t row) {
            const MappedRange &range = state->segments[row].range;
            m_headings.push_back(tr("%1, %2  ·  %3 in %4, %5 free, largest hole %6")
                                     .arg(toQString(memoryStreamName(range.stream)),
                                          toQString(memoryPoolName(m_model->map()->snapshot(), range.pool)),
                                          bytesText(sum.reserved),
                                          toQString(formatCounted(sum.segments, "segment", "segments")),
                                          bytesText(sum.free), bytesText(sum.largestFree)));
        };
        for (uint32_t at = 0; at < m_order.size(); ++at) {
            const uint32_t row = m_order[at];
            if (at > 0 && group(row) != group(m_order[at - 1])) {
                head(m_order[at - 1]);
                sum = {};
            }
            sum.add(state->segments[row].figures);
            items.push_back({state->segments[row].range.size, static_cast<uint32_t>(m_headings.size())});
            m_itemOf[row] = at;
        }
        if (!m_order.empty())
            head(m_order.back());
    }
    const double width = viewport()->width() - 2 * kMargin;
    const auto lines = static_cast<uint32_t>(std::max(1, (viewport()->height() - kMargin) / kLine));
    m_flow = SegmentFlow(items, width, SegmentFlow::fitting(items, width, lines) / m_zoom);
    verticalScrollBar()->setRange(
        0, std::max(0, static_cast<int>(m_flow.lines()) * kLine + kMargin - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kLine);
    viewport()->update();
}

void AllocatorCanvas::setZoom(double zoom)
{
    zoom = std::clamp(zoom, 1.0, 4096.0);
    if (zoom == m_zoom)
        return;
    m_zoom = zoom;
    layOut();
}

double AllocatorCanvas::topOf(uint32_t line) const
{
    return static_cast<double>(line) * kLine + kMargin / 2 - verticalScrollBar()->value();
}

const AllocatorPiece *AllocatorCanvas::pieceAt(QPointF point) const
{
    const AllocatorState *state = m_model->state();
    const double line = (point.y() - topOf(0)) / kLine;
    uint64_t offset = 0;
    if (!state || line < 0 || line >= m_flow.lines())
        return nullptr;
    const SegmentFlow::Strip *strip = m_flow.at(static_cast<uint32_t>(line), point.x() - kMargin, offset);
    return strip ? state->at(state->segments[m_order[strip->item]].range.address + offset) : nullptr;
}

std::optional<QRectF> AllocatorCanvas::rectOf(uint64_t address, uint64_t size) const
{
    const AllocatorState *state = m_model->state();
    const AllocatorPiece *piece = state ? state->at(address) : nullptr;
    if (!piece)
        return std::nullopt;
    const uint64_t offset = address - state->segments[piece->segment].range.address;
    const SegmentFlow::Strip *strip = m_flow.stripOf(m_itemOf[piece->segment], offset);
    if (!strip)
        return std::nullopt;
    const double left = strip->left + static_cast<double>(offset - strip->offset) / m_flow.bytesPerPixel();
    const double width =
        std::min(static_cast<double>(size) / m_flow.bytesPerPixel(), strip->left + strip->width - left);
    return QRectF(kMargin + left, topOf(strip->line), std::max(width, 1.0), kBar);
}

void AllocatorCanvas::showEventBlock()
{
    const MappedRange range = m_model->eventRange();
    const auto rect = rectOf(range.address, range.size);
    if (!rect || (rect->top() >= 0 && rect->bottom() <= viewport()->height()))
        return;
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(rect->center().y()) -
                                  viewport()->height() / 2);
}

void AllocatorCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const Palette &palette = Palette::fitting(this->palette());
    painter.fillRect(viewport()->rect(), QColor::fromRgb(palette.canvas));
    const AllocatorState *state = m_model->state();
    if (!state || state->segments.empty()) {
        painter.setPen(QColor::fromRgb(palette.dimText));
        painter.drawText(viewport()->rect(), Qt::AlignCenter,
                         !m_model->map() ? QString()
                         : state         ? tr("There is no segment at this instant.")
                                         : tr("…"));
        return;
    }
    const auto first = static_cast<uint32_t>(verticalScrollBar()->value() / kLine);
    const uint32_t last = std::min(m_flow.lines(), first + static_cast<uint32_t>(viewport()->height() / kLine) + 2);
    painter.setPen(QColor::fromRgb(palette.dimText));
    for (const SegmentFlow::Heading &heading : m_flow.headings())
        if (heading.line >= first && heading.line < last)
            painter.drawText(
                QRectF(kMargin, topOf(heading.line), viewport()->width() - 2 * kMargin, kLine),
                Qt::AlignVCenter | Qt::TextSingleLine,
                elided(m_headings[heading.group], painter.fontMetrics(), viewport()->width() - 2 * kMargin));
    for (uint32_t line = first; line < last; ++line)
        for (const SegmentFlow::Strip &strip : m_flow.stripsOf(line))
            paintStrip(painter, palette, strip, topOf(line));
    paintMarks(painter, palette);
}

void AllocatorCanvas::paintStrip(QPainter &painter, const Palette &palette, const SegmentFlow::Strip &strip,
                                 double top) const
{
    const AllocatorState &state = *m_model->state();
    const AllocatorSegment &segment = state.segments[m_order[strip.item]];
    const std::span<const AllocatorPiece> pieces = state.piecesOf(segment);
    const uint64_t begin = segment.range.address + strip.offset;
    const QRectF rect(kMargin + strip.left, top, strip.width, kBar);
    painter.fillRect(rect, QColor::fromRgb(palette.laneAlternate));
    auto piece = std::partition_point(pieces.begin(), pieces.end(),
                                      [&](const AllocatorPiece &one) { return one.address + one.size <= begin; });
    for (; piece != pieces.end() && piece->address - segment.range.address < strip.offset + strip.bytes; ++piece)
        if (piece->state != AllocatorPiece::State::Free)
            paintPiece(painter, palette, *piece, strip, begin, top);
    painter.setPen(QPen(QColor::fromRgb(palette.edge), 0.8));
    painter.setBrush(Qt::NoBrush);
    painter.drawLine(rect.topLeft(), rect.topRight());
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    constexpr double kLeastEdged = 6; // pixels; the edges of a narrower strip would hide its contents
    if (rect.width() < kLeastEdged)
        return;
    if (strip.offset == 0)
        painter.drawLine(rect.topLeft(), rect.bottomLeft());
    if (strip.offset + strip.bytes >= segment.range.size)
        painter.drawLine(rect.topRight(), rect.bottomRight());
}

void AllocatorCanvas::paintPiece(QPainter &painter, const Palette &palette, const AllocatorPiece &piece,
                                 const SegmentFlow::Strip &strip, uint64_t begin, double top) const
{
    const auto x = [&](uint64_t address) {
        const double offset = address > begin ? static_cast<double>(address - begin) : 0;
        return kMargin + strip.left + std::min(strip.width, offset / m_flow.bytesPerPixel());
    };
    const double left = x(piece.address), right = x(piece.address + piece.size),
                 asked = x(piece.address + std::min(piece.requested, piece.size));
    const bool pending = piece.state == AllocatorPiece::State::Pending;
    const QColor active =
        QColor::fromRgb(Palette::mixed(palette.canvas, palette.graphLine, piece.address >> 9 & 1 ? 0.62 : 0.78));
    painter.fillRect(QRectF(left, top, asked - left, kBar),
                     pending ? QColor::fromRgb(Palette::mixed(palette.canvas, palette.mark, 0.35)) : active);
    if (pending)
        painter.fillRect(QRectF(left, top, asked - left, kBar),
                         QBrush(QColor::fromRgb(palette.mark), Qt::BDiagPattern));
    if (right - asked >= 0.5) {
        painter.fillRect(QRectF(asked, top, right - asked, kBar),
                         QColor::fromRgb(Palette::mixed(palette.canvas, palette.flow, 0.3)));
        painter.fillRect(QRectF(asked, top, right - asked, kBar),
                         QBrush(QColor::fromRgb(palette.flow), Qt::Dense5Pattern));
    }
    const bool goesOn = piece.address + piece.size > begin + strip.bytes; // continues on the next line
    if (right - left >= 4 && !goesOn)
        painter.fillRect(QRectF(right - 1, top, 1, kBar), QColor::fromRgb(palette.canvas));
}

/// Marks the event's addresses and the selected and hovered allocation, over everything else.
void AllocatorCanvas::paintMarks(QPainter &painter, const Palette &palette) const
{
    const AllocatorState &state = *m_model->state();
    const MemorySession &memory = *m_model->memory();
    const auto outline = [&](const QRectF &rect, QRgb colour, double width) {
        painter.setPen(QPen(QColor::fromRgb(colour), width));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5));
    };
    for (const AllocatorPiece &piece : state.pieces) {
        if (piece.allocation == AllocatorPiece::kNone ||
            (piece.allocation != memory.selected() && piece.allocation != memory.hovered()))
            continue;
        if (const auto rect = rectOf(piece.address, piece.size))
            outline(*rect, piece.allocation == memory.selected() ? palette.selection : palette.hover,
                    piece.allocation == memory.selected() ? 2 : 1);
    }
    const MappedRange event = m_model->eventRange();
    const auto rect = event.size ? rectOf(event.address, event.size) : std::nullopt;
    if (!rect)
        return;
    outline(*rect, palette.accent, 2);
    painter.setBrush(QColor::fromRgb(palette.accent));
    painter.setPen(Qt::NoPen);
    painter.setRenderHint(QPainter::Antialiasing);
    const double x = rect->left() + std::min(rect->width(), 8.0) / 2, y = rect->bottom() + 1;
    painter.drawPolygon(QPolygonF({QPointF(x, y), QPointF(x - 4, y + 5), QPointF(x + 4, y + 5)}));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void AllocatorCanvas::resizeEvent(QResizeEvent *) { layOut(); }

void AllocatorCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const AllocatorPiece *piece = pieceAt(event->position());
    m_model->memory()->select(piece && piece->state != AllocatorPiece::State::Free ? piece->allocation
                                                                                   : MemorySession::kNone);
}

void AllocatorCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const AllocatorPiece *piece = pieceAt(event->position());
    m_model->memory()->setHovered(piece ? piece->allocation : MemorySession::kNone);
}

void AllocatorCanvas::leaveEvent(QEvent *) { m_model->memory()->setHovered(MemorySession::kNone); }

void AllocatorCanvas::wheelEvent(QWheelEvent *event)
{
    if (!(event->modifiers() & Qt::ControlModifier)) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    // The address under the pointer stays at its vertical position.
    const AllocatorPiece *piece = pieceAt(event->position());
    const uint64_t address = piece ? piece->address : 0;
    setZoom(m_zoom * std::exp2(event->angleDelta().y() / 240.0));
    if (const auto rect = piece ? rectOf(address, 1) : std::nullopt)
        verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                      static_cast<int>(rect->center().y() - event->position().y()));
}

bool AllocatorCanvas::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const AllocatorPiece *piece = pieceAt(help->pos());
        const auto facts = m_model->memory()->facts();
        QToolTip::showText(help->globalPos(),
                           piece && facts ? allocatorPieceText(*m_model->map(), *facts, *m_model->state(), *piece)
                                          : QString(),
                           viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace riffle
