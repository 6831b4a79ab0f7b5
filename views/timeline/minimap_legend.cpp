// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/minimap_legend.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QPainter>

namespace riffle {

MinimapLegend::MinimapLegend(TimelineState *state, const Minimap *minimap, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_minimap(minimap)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(minimap, &Minimap::linesChanged, this, qOverload<>(&QWidget::update));
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
    font.setPixelSize(count == 0 ? 12 : std::clamp(room / count - 2, 7, 12));
    painter.setFont(font);
    const QFontMetrics metrics(font);
    for (int i = 0; i < count && room / count >= 9; ++i) {
        const BusyLine &line = lines[static_cast<size_t>(i)];
        const QRect cell(12, 4 + room * i / count, width() - 20, room / count);
        const QString share = tr("%1 busy").arg(toQString(formatShare(Minimap::meanShare(line))));
        QString title = toQString(line.title);
        const TraceSet &traces = m_state->session()->traces();
        if (traces.size() > 1 && traces.member(line.trace))
            title = toQString(traces.title(line.trace)) + QStringLiteral(" · ") + title;
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(title, metrics, cell.width() - metrics.horizontalAdvance(share) - 8));
        painter.setPen(QColor::fromRgb(colours.dimText));
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, share);
    }
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
    painter.fillRect(width() - 1, 0, 1, height(), QColor::fromRgb(colours.line));
}

} // namespace riffle
