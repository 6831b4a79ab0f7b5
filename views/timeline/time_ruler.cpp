// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/time_ruler.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace riffle {

namespace {
constexpr int kBracket = 6, kBracketLine = 2; ///< logical pixels: the arms of a bracket, and how thick they are
} // namespace

TimeRuler::TimeRuler(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setFixedHeight(28);
    connect(state, &TimelineState::picturesChanged, this, qOverload<>(&QWidget::update));
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Placement | Session::Area | Session::Marks))
            update();
    });
    connect(state->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & (Pane::VisibleRange | Pane::Hover | Pane::Origin))
            update();
    });
}

void TimeRuler::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    QFont font = this->font();
    font.setPixelSize(11);
    painter.setFont(font);
    if (!m_state->traces().empty()) {
        paintTicks(painter);
        paintMarks(painter);
        if (const auto area = m_state->session()->area(); area && m_state->pane()->shows(*area))
            paintArea(painter, *area, colours.accent);
        if (const auto cursor = m_state->pane()->cursor()) {
            const double x = std::floor(scale().x(*cursor));
            painter.fillRect(QRectF(x, 0, 1, height()), QColor::fromRgb(colours.cursor));
        }
    }
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
}

void TimeRuler::paintTicks(QPainter &painter)
{
    const Palette &colours = Palette::fitting(palette());
    const TimeScale scale = this->scale();
    const TimeSpan range = scale.range();
    const Ns origin = m_state->pane()->origin();
    const Ns step = tickStep(scale, 90);
    const Ns small = std::max<Ns>(1, step / 5);
    for (Ns tick = origin + (range.begin - origin) / small * small - small; tick < range.end; tick += small)
        painter.fillRect(QRectF(std::floor(scale.x(tick)), height() - 4, 1, 4), QColor::fromRgb(colours.line));

    // Deep in a long trace, the digits that all labels share are shown once at the left, and the labels count from
    // there.
    Ns base = 0;
    Ns unit = 1;
    while (unit < range.duration() / 2)
        unit *= 10;
    const Ns behind = range.begin - origin;
    if (m_state->absoluteTime() && m_state->baseTime())
        base = std::max<Ns>(0, behind);
    else if (behind > 0 && behind / unit >= 20)
        base = behind / unit * unit;
    int left = 6;
    if (base != 0) {
        const QString text = m_state->timeText(origin + base, m_state->absoluteTime() ? 1'000'000'000 : unit);
        QFont bold = painter.font();
        bold.setBold(true);
        const int wide = QFontMetrics(bold).horizontalAdvance(text) + 8;
        painter.save();
        painter.setFont(bold);
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(QRect(6, 0, wide, height() - 6), Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.restore();
        left = 6 + wide;
    }
    painter.setPen(QColor::fromRgb(colours.dimText));
    // With date and time, the labels count from the full second that is shown at the left.
    Ns labelBase = base;
    if (m_state->absoluteTime() && m_state->baseTime()) {
        const int64_t unixBegin = *m_state->baseTime() + origin + base;
        labelBase = base - ((unixBegin % 1'000'000'000) + 1'000'000'000) % 1'000'000'000;
    }
    const Ns first = (range.begin - origin - labelBase) / step * step + labelBase + origin - step;
    for (Ns tick = first; tick < range.end; tick += step) {
        const int x = static_cast<int>(std::floor(scale.x(tick)));
        painter.fillRect(x, height() - 9, 1, 9, QColor::fromRgb(colours.dimText));
        const Ns count = tick - origin - labelBase;
        QString text = toQString(formatTick(count, step));
        if (labelBase != 0 && count >= 0)
            text.prepend(QLatin1Char('+'));
        if (x + 4 >= left && x + 4 + painter.fontMetrics().horizontalAdvance(text) <= width())
            painter.drawText(QRect(x + 4, 0, 200, height() - 6), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void TimeRuler::paintArea(QPainter &painter, const AreaSelection &area, QRgb colour)
{
    const TraceSet &traces = m_state->traces();
    const TimeSpan span = area.in(traces);
    const double x0 = std::clamp(scale().x(span.begin), -4.0, width() + 4.0);
    const double x1 = std::clamp(scale().x(span.end), -4.0, width() + 4.0);
    QColor band = QColor::fromRgb(colour | 0xff000000);
    band.setAlpha(40);
    painter.fillRect(QRectF(x0, 0, x1 - x0, height()), band);
    // Brackets, which open towards the range.
    const auto bracket = [&](double x, int direction) {
        const double edge = std::floor(x), reach = direction > 0 ? edge : edge - kBracket + kBracketLine;
        painter.fillRect(QRectF(edge, 0, kBracketLine, height()), QColor::fromRgb(colour));
        for (const int y : {0, height() - kBracketLine})
            painter.fillRect(QRectF(reach, y, kBracket, kBracketLine), QColor::fromRgb(colour));
    };
    bracket(x0, 1);
    bracket(x1 - kBracketLine, -1);
    QString text = toQString(formatDuration(area.span.duration()));
    if (const QString rank = rankText(traces, area.trace); !rank.isEmpty())
        text += QLatin1Char(' ') + rank;
    const int wide = painter.fontMetrics().horizontalAdvance(text) + 12;
    const double middle = std::clamp((x0 + x1) / 2, wide / 2.0 + 2, std::max(wide / 2.0 + 2, width() - wide / 2.0 - 2));
    const QRectF pill(middle - wide / 2.0, 4, wide, 16);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor::fromRgb(colour | 0xff000000));
    painter.drawRoundedRect(pill, 8, 8);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QColor::fromRgb(Palette::textOn(colour)));
    painter.drawText(pill, Qt::AlignCenter, text);
}

void TimeRuler::paintMarks(QPainter &painter)
{
    const QColor colour = QColor::fromRgb(Palette::fitting(palette()).mark);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Mark &mark : m_state->session()->marks()) {
        if (!m_state->pane()->shows(mark))
            continue;
        const TimeSpan span = mark.in(m_state->traces());
        const double x = std::floor(scale().x(span.begin));
        if (x < -200 || x > width() + 10)
            continue;
        if (!span.empty()) {
            QColor band = colour;
            band.setAlpha(60);
            const double end = std::min(scale().x(span.end), width() + 10.0);
            painter.fillRect(QRectF(x, height() - 6, end - x, 6), band);
        }
        QPainterPath flag(QPointF(x, height()));
        flag.lineTo(x, 2);
        flag.lineTo(x + 9, 6);
        flag.lineTo(x + 1, 10);
        flag.lineTo(x + 1, height());
        flag.closeSubpath();
        painter.fillPath(flag, colour);
        if (!mark.note.isEmpty()) {
            const QString note = elided(singleLine(mark.note), painter.fontMetrics(), 160);
            const QRectF cell(x + 11, 0, painter.fontMetrics().horizontalAdvance(note) + 4, height() - 10);
            painter.fillRect(cell, QColor::fromRgb(Palette::fitting(palette()).canvas));
            painter.setPen(colour);
            painter.drawText(cell.adjusted(2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, note);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

int TimeRuler::markAt(int x) const
{
    const auto &marks = m_state->session()->marks();
    for (size_t i = 0; i < marks.size(); ++i) {
        const double at = scale().x(marks[i].in(m_state->traces()).begin);
        if (x >= at - 3 && x <= at + 10 && m_state->pane()->shows(marks[i]))
            return static_cast<int>(i);
    }
    return -1;
}

QStringList TimeRuler::describe(const Mark &mark) const
{
    const TraceSet &traces = m_state->traces();
    QString place = m_state->timeText(mark.in(traces).begin);
    if (const QString rank = rankText(traces, mark.trace); !rank.isEmpty())
        place += QLatin1Char(' ') + rank;
    QStringList lines{place};
    if (!mark.span.empty())
        lines += toQString(formatDuration(mark.span.duration()));
    if (!mark.note.isEmpty())
        lines += mark.note;
    return lines;
}

bool TimeRuler::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const int mark = markAt(help->pos().x()); mark >= 0)
        QToolTip::showText(
            help->globalPos(),
            wrappedHtml(describe(m_state->session()->marks()[static_cast<size_t>(mark)]).join(QLatin1Char('\n'))),
            this);
    else
        QToolTip::hideText();
    return true;
}

void TimeRuler::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressedX = event->position().toPoint().x();
    m_dragFrom = scale().timeAt(event->position().x());
    m_dragging = false;
}

void TimeRuler::mouseMoveEvent(QMouseEvent *event)
{
    const Ns time = scale().timeAt(event->position().x());
    m_state->pane()->setHover({}, time);
    if (!m_dragFrom || !(event->buttons() & Qt::LeftButton))
        return;
    if (std::abs(event->position().toPoint().x() - m_pressedX) >= 4)
        m_dragging = true;
    if (m_dragging)
        m_state->session()->setArea(
            m_state->pane()->areaOf({std::min(*m_dragFrom, time), std::max(*m_dragFrom, time)}, {}));
}

void TimeRuler::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_dragFrom && !m_dragging)
        m_state->session()->setArea(std::nullopt);
    m_dragFrom.reset();
    m_dragging = false;
}

void TimeRuler::mouseDoubleClickEvent(QMouseEvent *event)
{
    const int index = markAt(event->position().toPoint().x());
    if (index < 0)
        return;
    std::vector<Mark> marks = m_state->session()->marks();
    marks.erase(marks.begin() + index);
    m_state->session()->setMarks(std::move(marks));
}

void TimeRuler::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu(this);
    QAction *absolute = menu.addAction(tr("Date and time (UTC)"));
    absolute->setCheckable(true);
    absolute->setChecked(m_state->absoluteTime());
    absolute->setEnabled(m_state->baseTime().has_value());
    connect(absolute, &QAction::toggled, m_state, &TimelineState::setAbsoluteTime);
    if (const int index = markAt(event->pos().x()); index >= 0)
        menu.addAction(tr("Remove mark"), this, [this, index] {
            std::vector<Mark> marks = m_state->session()->marks();
            marks.erase(marks.begin() + index);
            m_state->session()->setMarks(std::move(marks));
        });
    menu.exec(event->globalPos());
}

void TimeRuler::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_state->pane()->setHover({}, std::nullopt);
}

} // namespace riffle
