// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/minimap_legend.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QPainter>

namespace riffle {

MinimapLegend::MinimapLegend(TimelineState *state, Minimap *minimap, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_minimap(minimap)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(minimap, &Minimap::linesChanged, this, [this] {
        m_busy.clear();
        for (const BusyLine &line : m_minimap->lines())
            m_busy.push_back(Minimap::meanShare(line));
        QStringList said;
        for (size_t i = 0; i < m_busy.size(); ++i)
            said += titleOf(m_minimap->lines()[i]) + QLatin1Char(' ') + busyText(m_busy[i]);
        m_minimap->setAccessibleName(tr("The whole trace"));
        m_minimap->setAccessibleDescription(said.join(QStringLiteral(", ")));
        update();
    });
}

QString MinimapLegend::busyText(double share) { return tr("%1 busy").arg(toQString(formatShare(share))); }

QString MinimapLegend::titleOf(const BusyLine &line) const
{
    const TraceSet &traces = m_state->traces();
    const QString title = toQString(line.title);
    return traces.size() > 1 && traces.member(line.trace)
               ? toQString(traces.title(line.trace)) + QStringLiteral(" · ") + title
               : title;
}

void MinimapLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    const auto &lines = m_minimap->lines();
    const int count = static_cast<int>(lines.size());
    QFont font = this->font();
    const int room = height() - 9;
    const bool fits = count > 0 && room / count >= 9;
    font.setPixelSize(fits ? std::clamp(room / count - 2, 7, 12) : 12);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const TraceSet &traces = m_state->traces();
    const auto write = [&](const QRect &cell, const QString &title, double busy) {
        const QString share = busyText(busy);
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(title, metrics, cell.width() - metrics.horizontalAdvance(share) - 8));
        painter.setPen(QColor::fromRgb(colours.dimText));
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, share);
    };
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        const BusyLine &line = lines[static_cast<size_t>(i)];
        sum += m_busy[static_cast<size_t>(i)];
        if (!fits)
            continue;
        write(QRect(12, 4 + room * i / count, width() - 20, room / count), titleOf(line),
              m_busy[static_cast<size_t>(i)]);
    }
    if (count > 0 && !fits) // one line for all of them
        write(QRect(12, 4, width() - 20, room),
              traces.size() > 1 ? tr("%1 ranks").arg(traces.size()) : tr("%1 GPUs").arg(count), sum / count);
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
    painter.fillRect(width() - 1, 0, 1, height(), QColor::fromRgb(colours.line));
}

} // namespace riffle
