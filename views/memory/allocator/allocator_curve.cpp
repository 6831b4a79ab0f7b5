// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocator/allocator_curve.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace riffle {

namespace {

constexpr double kLeft = 74, kRight = 10, kTop = 17;

} // namespace

AllocatorCurve::AllocatorCurve(AllocatorModel *model, QWidget *parent) : QWidget(parent), m_model(model)
{
    setAccessibleName(tr("Fragmentation over the history"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(model, &AllocatorModel::seriesChanged, this, [this] { update(); });
    connect(model, &AllocatorModel::mapChanged, this, [this] { update(); });
    connect(model->memory(), &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (changes & MemorySession::Instant)
            update();
    });
}

QRectF AllocatorCurve::bytesPlot() const
{
    const double all = showsShares() ? (height() - 2 * kTop - 4) * 0.58 : height() - kTop - 8;
    return {kLeft, kTop, std::max(10.0, width() - kLeft - kRight), std::max(10.0, all)};
}

QRectF AllocatorCurve::sharesPlot() const
{
    const QRectF above = bytesPlot();
    return {kLeft, above.bottom() + kTop, above.width(), std::max(10.0, height() - above.bottom() - kTop - 4)};
}

double AllocatorCurve::xOf(uint32_t slot) const
{
    const QRectF plot = bytesPlot();
    return plot.left() + plot.width() * slot / std::max(1u, m_model->slotCount() - 1);
}

uint32_t AllocatorCurve::slotAt(double x) const
{
    if (m_model->slotCount() == 0)
        return 0;
    const QRectF plot = bytesPlot();
    const double share = std::clamp((x - plot.left()) / plot.width(), 0.0, 1.0);
    return static_cast<uint32_t>(share * (m_model->slotCount() - 1) + 0.5);
}

void AllocatorCurve::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &palette = Palette::fitting(this->palette());
    painter.fillRect(rect(), QColor::fromRgb(palette.canvas));
    const AllocatorSeries *series = m_model->series();
    if (!series)
        return;
    uint64_t most = 1;
    for (const AllocatorSample &sample : series->samples)
        most = std::max(most, sample.figures.reserved);
    struct Line {
        QString name;
        QRgb colour;
        double (*share)(const AllocatorFigures &figures, double most);
    };
    const auto draw = [&](const QRectF &plot, const QString &title, const QString &top,
                          std::initializer_list<Line> lines) {
        painter.fillRect(plot, QColor::fromRgb(palette.laneAlternate));
        painter.setPen(QColor::fromRgb(palette.gridLine));
        painter.drawLine(QPointF(plot.left(), plot.center().y()), QPointF(plot.right(), plot.center().y()));
        painter.setPen(QColor::fromRgb(palette.dimText));
        painter.drawText(QRectF(0, plot.top() - 6, kLeft - 6, 14), Qt::AlignRight | Qt::AlignVCenter, top);
        painter.drawText(QRectF(0, plot.bottom() - 8, kLeft - 6, 14), Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("0"));
        double left = plot.left();
        painter.drawText(QPointF(left, plot.top() - 4), title);
        left += painter.fontMetrics().horizontalAdvance(title) + 14;
        painter.setRenderHint(QPainter::Antialiasing);
        for (const Line &line : lines) {
            QPainterPath path;
            double before = 0;
            for (size_t at = 0; at < series->samples.size(); ++at) {
                const double x = xOf(m_model->slotOf(series->samples[at].event));
                const double y = plot.bottom() - plot.height() * std::clamp(line.share(series->samples[at].figures,
                                                                                       static_cast<double>(most)),
                                                                            0.0, 1.0);
                if (at == 0) {
                    path.moveTo(x, y);
                } else {
                    path.lineTo(x, before); // a value holds until the next event
                    path.lineTo(x, y);
                }
                before = y;
            }
            painter.setPen(QPen(QColor::fromRgb(line.colour), 1.3));
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(path);
            painter.fillRect(QRectF(left, plot.top() - 9, 9, 3), QColor::fromRgb(line.colour));
            painter.setPen(QColor::fromRgb(palette.text));
            painter.drawText(QPointF(left + 13, plot.top() - 4), line.name);
            left += 13 + painter.fontMetrics().horizontalAdvance(line.name) + 14;
        }
        painter.setRenderHint(QPainter::Antialiasing, false);
    };
    draw(bytesPlot(), tr("Bytes"), toQString(formatBytes(static_cast<int64_t>(std::min<uint64_t>(most, INT64_MAX)))),
         {{tr("reserved"), palette.dimText,
           [](const AllocatorFigures &one, double of) { return static_cast<double>(one.reserved) / of; }},
          {tr("in blocks"), palette.mark,
           [](const AllocatorFigures &one, double of) { return static_cast<double>(one.inBlocks) / of; }},
          {tr("allocated (requested sizes)"), palette.graphLine,
           [](const AllocatorFigures &one, double of) { return static_cast<double>(one.allocated) / of; }},
          {tr("largest hole"), palette.flow,
           [](const AllocatorFigures &one, double of) { return static_cast<double>(one.largestFree) / of; }}});
    if (showsShares())
        draw(sharesPlot(), tr("Fragmentation"), QStringLiteral("100 %"),
             {{tr("1 − largest hole / free"), palette.flow,
               [](const AllocatorFigures &one, double) { return one.fragmentation(); }},
              {tr("Σ hole² / (Σ segment)²"), palette.graphLine,
               [](const AllocatorFigures &one, double) { return one.squaredFragmentation(); }}});
    const double x = xOf(m_model->slotOf(m_model->memory()->instant()));
    painter.setPen(QPen(QColor::fromRgb(palette.accent), 1.5));
    painter.drawLine(QPointF(x, bytesPlot().top()), QPointF(x, (showsShares() ? sharesPlot() : bytesPlot()).bottom()));
}

void AllocatorCurve::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_model->map())
        m_model->memory()->setInstant(m_model->eventOf(slotAt(event->position().x())));
}

void AllocatorCurve::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton && m_model->map())
        m_model->memory()->setInstant(m_model->eventOf(slotAt(event->position().x())));
}

} // namespace riffle
