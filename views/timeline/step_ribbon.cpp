// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/step_ribbon.h"

#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
const QString kOffersJob = QStringLiteral("offers");
} // namespace

StepRibbon::StepRibbon(TimelineState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_offer(new QLabel(this))
{
    setAccessibleName(tr("Steps"));
    m_offer->hide();
    m_offer->setContextMenuPolicy(Qt::NoContextMenu);
    m_offer->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_offer, &QLabel::linkActivated, this, [this](const QString &mark) {
        Filters filters = m_state->session()->filters();
        filters.stepMark = toUtf8(mark);
        m_state->session()->setFilters(std::move(filters));
    });
    setAttribute(Qt::WA_OpaquePaintEvent);
    setFixedHeight(18);
    findSteps();
    findOffers(Before::Forget);
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::AnyTraces | Session::Steps | Session::Selection))
            findSteps();
        if (changes & (Session::Traces | Session::Members | Session::Renewed))
            findOffers(changes & (Session::Traces | Session::Members) ? Before::Forget : Before::Keep);
        if (changes & (Session::Placement | Session::Steps | Session::Selection))
            update();
    });
    connect(state->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::VisibleRange)
            update();
    });
}

void StepRibbon::leaveOut()
{
    m_state->disconnect(this);
    m_state->pane()->disconnect(this);
    m_jobs.cancel(kOffersJob);
    hide();
}

void StepRibbon::findSteps()
{
    const Session &session = *m_state->session();
    const auto traces = m_state->traces().loaded();
    const auto hasSteps = [&](const LoadedTrace &member) { return !session.stepsOf(member.id).empty(); };
    const auto found = std::ranges::find_if(traces, hasSteps);
    m_trace = found == traces.end() ? TraceId() : found->id;
    if (const LoadedTrace *selected = m_state->traces().find(session.selected().trace); selected && hasSteps(*selected))
        m_trace = selected->id;
    m_offer->setVisible(!m_trace.valid() && !m_offer->text().isEmpty());
    setVisible(m_trace.valid() || !m_offer->isHidden());
    setAccessibleDescription(m_trace.valid() ? toQString(formatCounted(std::ssize(steps()), "step", "steps"))
                                             : m_offer->text());
}

/// Looks for annotations that could be steps in the first trace, if no trace has marked steps.
void StepRibbon::findOffers(Before before)
{
    const TraceSet set = m_state->pane()->partOf(m_state->session()->facts()->set());
    const auto traces = set.loaded();
    if (before == Before::Forget || traces.empty() || m_trace.valid()) {
        m_jobs.cancel(kOffersJob);
        m_offer->clear();
    }
    if (traces.empty() || m_trace.valid())
        return;
    m_jobs.run(kOffersJob, m_state->session()->inTurn([trace = traces.front().trace](const std::stop_token &stop) {
        return untilStopped(stop, [&] { return regularMarks(*trace); });
    }),
               [this](std::optional<std::vector<RegularMark>> marks) {
                   if (marks)
                       offer(*marks);
               });
}

void StepRibbon::offer(const std::vector<RegularMark> &marks)
{
    QStringList links;
    for (const RegularMark &mark : marks) {
        const QString name = singleLine(toQString(mark.mark), 60).toHtmlEscaped();
        links.append(
            QStringLiteral("<a href=\"%1\">%2</a> ").arg(toQString(mark.mark).toHtmlEscaped(), name) +
            tr("(%1, one every %2)")
                .arg(toQString(formatCount(static_cast<int64_t>(mark.count))), toQString(formatDuration(mark.period))));
    }
    m_offer->setText(links.isEmpty() ? QString()
                                     : tr("No steps are marked. Take as steps: %1").arg(links.join(tr(" or "))));
    findSteps();
    placeOffer();
}

void StepRibbon::placeOffer() { m_offer->setGeometry(rect().adjusted(6, 0, -6, -1)); }

void StepRibbon::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    placeOffer();
}

std::span<const Step> StepRibbon::steps() const
{
    const Session &session = *m_state->session();
    return m_state->traces().find(m_trace) ? session.stepsOf(m_trace) : std::span<const Step>();
}

TimeSpan StepRibbon::spanOf(const Step &step) const { return m_state->traces().time(m_trace).toSet(step.span); }

void StepRibbon::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    QFont font = this->font();
    font.setPixelSize(11);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const std::span<const Step> steps = this->steps();
    const TimeScale scale = this->scale();
    const TraceSet &traces = m_state->traces();
    const QString rank = m_trace.valid() && traces.members().size() > 1 ? toQString(traces.title(m_trace)) : QString();
    const int rankWidth = rank.isEmpty() ? 0 : metrics.horizontalAdvance(rank) + 12;
    int painted = INT_MIN;
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps[i];
        const TimeSpan span = spanOf(step);
        const double x0 = std::clamp(scale.x(span.begin), -2.0, width() + 2.0);
        const double x1 = std::clamp(scale.x(span.end), -2.0, width() + 2.0);
        const int left = static_cast<int>(std::floor(x0));
        const int right = std::max(left + 1, static_cast<int>(std::ceil(x1)));
        if (right <= 0 || left >= width() || right <= painted)
            continue;
        painted = right;
        const QRect cell(left, 1, right - left - 1, height() - 3);
        painter.fillRect(cell, QColor::fromRgb(colours.step[i % 2]));
        const QRect inside = cell.intersected(rect().adjusted(rankWidth, 0, 0, 0)).adjusted(6, 0, -4, 0);
        const QString number = QString::number(step.number);
        const QString full = tr("Step %1").arg(number);
        const QString text = metrics.horizontalAdvance(full) <= inside.width() ? full : number;
        if (metrics.horizontalAdvance(text) > inside.width())
            continue;
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, text);
        const int used = metrics.horizontalAdvance(text) + 12;
        const QString length = toQString(formatDuration(span.duration()));
        if (used + metrics.horizontalAdvance(length) <= inside.width()) {
            painter.setPen(QColor::fromRgb(colours.dimText));
            painter.drawText(inside.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, length);
        }
    }
    if (rankWidth > 0) {
        painter.fillRect(0, 0, rankWidth, height(), QColor::fromRgb(colours.canvas));
        painter.setPen(QColor::fromRgb(colours.dimText));
        painter.drawText(QRect(6, 0, rankWidth, height() - 2), Qt::AlignLeft | Qt::AlignVCenter, rank);
    }
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
}

const Step *StepRibbon::stepAt(int x) const
{
    const Step *nearest = nullptr;
    double distance = 4;
    for (const Step &step : steps()) {
        const TimeSpan span = spanOf(step);
        const double x0 = scale().x(span.begin);
        const double x1 = scale().x(span.end);
        const double off = x < x0 ? x0 - x : x >= x1 ? x - x1 : 0;
        if (off < distance) {
            distance = off;
            nearest = &step;
        }
    }
    return nearest;
}

void StepRibbon::mouseReleaseEvent(QMouseEvent *event)
{
    const Step *step = event->button() == Qt::LeftButton ? stepAt(event->position().toPoint().x()) : nullptr;
    if (step)
        m_state->pane()->goTo(padded(spanOf(*step), 0.02));
}

bool StepRibbon::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const Step *step = stepAt(help->pos().x()))
        QToolTip::showText(help->globalPos(),
                           tr("Step %1\n%2").arg(step->number).arg(toQString(formatDuration(step->span.duration()))),
                           this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace riffle
