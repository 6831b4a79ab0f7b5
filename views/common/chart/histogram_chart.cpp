// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/histogram_chart.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QKeyEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr size_t kBins = 40;
constexpr int kBesideButton = 4; ///< logical pixels
} // namespace

HistogramChart::HistogramChart(QWidget *parent) : Chart(parent), m_scale(new QToolButton(this))
{
    m_scale->setText(tr("Logarithmic"));
    m_scale->setToolTip(tr("Bins of equal ratio instead of equal width (L)"));
    m_scale->setCheckable(true);
    m_scale->setFocusPolicy(Qt::TabFocus);
    connect(m_scale, &QToolButton::toggled, this, &HistogramChart::setLogarithmic);
}

void HistogramChart::setValues(std::vector<int64_t> values, CellKind unit)
{
    m_values = std::move(values);
    m_valueUnit = unit;
    setUnit(CellKind::Count);
    count();
}

void HistogramChart::setLogarithmic(bool on)
{
    if (on == m_logarithmic)
        return;
    m_logarithmic = on;
    m_scale->setChecked(on);
    setCurrentItem(-1);
    count();
}

void HistogramChart::count()
{
    m_histogram = histogramOf(m_values, kBins, m_logarithmic);
    uint64_t most = 0;
    for (const uint64_t bin : m_histogram.counts)
        most = std::max(most, bin);
    m_highest = static_cast<double>(most);
    dataChanged();
}

QRectF HistogramChart::itemRect(int item) const
{
    const QRectF area = plot();
    const double wide = area.width() / std::max(1, itemCount());
    const double left = std::round(area.left() + wide * item);
    const double right = std::round(area.left() + wide * (item + 1)) - 1;
    return QRectF(QPointF(left, yOf(static_cast<double>(m_histogram.counts[static_cast<size_t>(item)]))),
                  QPointF(right, area.bottom()));
}

QString HistogramChart::edgeText(double value) const
{
    const auto whole = static_cast<int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
    switch (m_valueUnit) {
    case CellKind::Time: return toQString(formatDuration(whole));
    case CellKind::Bytes: return toQString(formatBytes(whole));
    case CellKind::Count: return toQString(formatCount(whole));
    default: return toQString(formatNumber(value));
    }
}

QString HistogramChart::describe(int item) const
{
    const auto at = static_cast<size_t>(item);
    const double share = static_cast<double>(m_histogram.counts[at]) / static_cast<double>(m_values.size());
    return tr("%1 to %2: %3 (%4)")
        .arg(edgeText(m_histogram.edges[at]), edgeText(m_histogram.edges[at + 1]),
             toQString(formatCount(static_cast<int64_t>(m_histogram.counts[at]))), toQString(formatShare(share)));
}

void HistogramChart::paintItems(QPainter &painter)
{
    const SeriesStyle style = SeriesStyle::of(colours(), 0);
    for (int item = 0; item < itemCount(); ++item) {
        QRectF box = itemRect(item);
        if (m_histogram.counts[static_cast<size_t>(item)] > 0 && box.height() < 2) // a rare value stays visible
            box.setTop(box.bottom() - 2);
        style.fill(painter, box, colours());
    }
}

void HistogramChart::paintItemAxis(QPainter &painter)
{
    QList<std::pair<double, QString>> labels;
    for (int item = 0; item < itemCount(); ++item)
        labels.append({itemRect(item).left(), edgeText(m_histogram.edges[static_cast<size_t>(item)])});
    paintLabels(painter, labels);
}

int HistogramChart::headReserve() const { return m_scale->width() + kBesideButton; }

void HistogramChart::resizeEvent(QResizeEvent *event)
{
    Chart::resizeEvent(event);
    m_scale->resize(m_scale->sizeHint());
    m_scale->move(width() - m_scale->width() - kBesideButton, kBesideButton);
}

void HistogramChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_L && !(event->modifiers() & ~Qt::ShiftModifier))
        setLogarithmic(!m_logarithmic);
    else
        Chart::keyPressEvent(event);
}

} // namespace riffle
