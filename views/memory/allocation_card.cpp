// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocation_card.h"

#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/memory/allocation_text.h"

#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kWidest = 520;
constexpr int kPad = 8;
constexpr int kMostFrames = 7;

/// The program's own and its libraries' frames; how many others were folded between them.
QStringList foldedStack(const MemorySnapshot &snapshot, uint32_t stack)
{
    QStringList lines;
    int folded = 0, left = 0;
    for (const StackFrame &frame : framesOf(snapshot, stack)) {
        if (frame.kind == FrameClass::Runtime || frame.kind == FrameClass::Torch) {
            ++folded;
            continue;
        }
        if (lines.size() >= kMostFrames) {
            ++left;
            continue;
        }
        const QString file = toQString(frame.file);
        lines.append(QStringLiteral("%1  %2:%3").arg(toQString(frame.function), file.section(QLatin1Char('/'), -2), QString::number(frame.line)));
    }
    if (left > 0)
        lines.append(AllocationCard::tr("… %n more frames", nullptr, left));
    if (folded > 0)
        lines.append(AllocationCard::tr("%n frames of PyTorch and the runtime folded", nullptr, folded));
    return lines;
}

} // namespace

AllocationCard::AllocationCard(LandscapeState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    QFont font = this->font();
    font.setPixelSize(12);
    setFont(font);
    hide();
}

QStringList AllocationCard::describe(const LandscapeCanvas::Hit &hit) const
{
    const LandscapeData *shown = m_state->data();
    if (!shown || !hit.inside)
        return {};
    if (hit.rest) {
        int64_t rest = 0; // of damaged files sizes may be anything
        if (__builtin_sub_overflow(shown->levels.at(hit.slot)[1], m_state->landscape()->top(hit.slot), &rest))
            rest = 0;
        return {toQString(formatBytes(rest)), tr("all allocations here that are not drawn on their own")};
    }
    if (hit.allocation == MemorySession::kNone)
        return {};
    const MemorySnapshot &snapshot = shown->facts->snapshot();
    const AllocationText text(snapshot, shown->replay(), hit.allocation);
    QStringList lines{text.size()};
    const auto properties = text.properties();
    for (const auto &[name, value] : properties.sliced(1))
        lines.append(name + QStringLiteral("  ") + value);
    return lines + foldedStack(snapshot, shown->replay().allocations.stack(snapshot, hit.allocation));
}

void AllocationCard::showFor(const LandscapeCanvas::Hit &hit, QPoint at, const QRect &bounds)
{
    const bool same = hit.inside && hit.allocation != MemorySession::kNone && hit.allocation == m_allocation && !m_lines.isEmpty();
    QStringList lines = same ? m_lines : describe(hit);
    m_allocation = hit.allocation;
    if (lines.isEmpty()) {
        m_lines.clear();
        hide();
        return;
    }
    const QFontMetrics metrics(font());
    QFont strong = font();
    strong.setBold(true);
    const QFontMetrics strongMetrics(strong);
    int wide = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        lines[i] = elided(lines[i], i == 0 ? strongMetrics : metrics, std::min(kWidest, bounds.width() - 2 * kPad));
        wide = std::max(wide, (i == 0 ? strongMetrics : metrics).horizontalAdvance(lines[i]));
    }
    const QSize size(wide + 2 * kPad, static_cast<int>(lines.size()) * (metrics.height() + 2) + 2 * kPad - 4);
    QPoint corner = at + QPoint(14, 16);
    if (corner.x() + size.width() > bounds.right())
        corner.setX(std::max(bounds.left(), at.x() - 10 - size.width()));
    if (corner.y() + size.height() > bounds.bottom())
        corner.setY(std::max(bounds.top(), at.y() - 10 - size.height()));
    const bool changed = lines != m_lines || isHidden();
    m_lines = std::move(lines);
    setGeometry(QRect(corner, size));
    if (changed) {
        show();
        raise();
        update();
    }
}

void AllocationCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QColor::fromRgb(colours.isDark ? 0xff46525f : 0xffb9c3cf));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    QFont strong = font();
    strong.setBold(true);
    const int line = QFontMetrics(font()).height() + 2;
    int y = kPad - 2;
    for (qsizetype i = 0; i < m_lines.size(); ++i, y += line) {
        painter.setFont(i == 0 ? strong : font());
        painter.setPen(QColor::fromRgb(i == 0 ? colours.text : colours.dimText));
        painter.drawText(QRect(kPad, y, width() - kPad, line), Qt::AlignLeft | Qt::AlignVCenter, m_lines[i]);
    }
}

} // namespace riffle
