// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/chip_bar.h"

#include "model/analysis/facts/step_marks.h"
#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QToolButton>

namespace riffle {

namespace {

constexpr int kWidestChip = 280; ///< logical pixels
constexpr int kNarrowestChip = 64;
constexpr int kCross = 18; ///< logical pixels; the width of the x

QString areaText(const Session &session)
{
    const AreaSelection area = *session.area();
    const TraceSet &traces = session.traces();
    QString text = QObject::tr("%1 starting at %2")
                       .arg(toQString(formatDuration(area.span.duration())),
                            toQString(formatDuration(area.in(traces).begin - traces.origin())));
    if (const QString rank = rankText(traces, area.trace); !rank.isEmpty())
        text += QLatin1Char(' ') + rank;
    if (!area.lanes.empty())
        text += QStringLiteral(" · ") +
                (area.lanes.size() == 1 ? QObject::tr("1 lane") : QObject::tr("%1 lanes").arg(area.lanes.size()));
    return text;
}

QString partText(const Session &session, Filters::Part part)
{
    const Filters &filters = session.filters();
    switch (part) {
    case Filters::Part::StepMark:
        return isDeviceMark(filters.stepMark)
                   ? QObject::tr("Steps on the device: %1")
                         .arg(toQString(filters.stepMark.substr(0, filters.stepMark.size() - kDeviceMark.size())))
                   : QObject::tr("Steps by name: %1").arg(toQString(filters.stepMark));
    case Filters::Part::FirstStep: return QObject::tr("Without the first step");
    case Filters::Part::Steps: {
        QStringList numbers;
        for (const int64_t step : filters.steps)
            numbers += QString::number(step);
        return filters.steps.size() == 1 ? QObject::tr("Step %1").arg(numbers.front())
                                         : QObject::tr("Steps %1").arg(numbers.join(QLatin1String(", ")));
    }
    case Filters::Part::Lanes: {
        const LaneRef lane = filters.lanes.front();
        const Trace *trace = session.traces().trace(lane.trace);
        if (filters.lanes.size() > 1 || !trace)
            return QObject::tr("%1 lanes").arg(filters.lanes.size());
        return toQString(trace->laneName(lane.lane));
    }
    case Filters::Part::Traces: {
        QStringList titles;
        for (const TraceId rank : filters.traces)
            titles += toQString(session.traces().title(rank));
        return titles.join(QLatin1String(", "));
    }
    case Filters::Part::Name: return toQString(filters.name);
    case Filters::Part::WithoutNames:
        return filters.withoutNames.size() == 1 ? QObject::tr("Without %1").arg(toQString(filters.withoutNames.front()))
                                                : QObject::tr("Without %1 names").arg(filters.withoutNames.size());
    case Filters::Part::Text: return QObject::tr("Only “%1”").arg(toQString(filters.text));
    case Filters::Part::Classes: {
        QStringList titles;
        for (size_t at = 0; at < kWorkClasses; ++at)
            if (const auto kind = static_cast<WorkClass>(at); filters.classes & bitOf(kind))
                titles += QObject::tr(workClassTitle(kind));
        return (titles.size() == 1 ? QObject::tr("Class: %1") : QObject::tr("Classes: %1"))
            .arg(titles.join(QStringLiteral(" · ")));
    }
    }
    return {};
}

bool firstStepStandsOut(const Session &session)
{
    return std::ranges::any_of(session.traces().loaded(),
                               [&](const LoadedTrace &member) { return firstIsFarLonger(session.stepsOf(member.id)); });
}

} // namespace

QStringList limitTexts(const Session &session)
{
    QStringList texts;
    if (session.area())
        texts += areaText(session);
    for (const Filters::Part part : session.filterParts())
        texts += partText(session, part);
    return texts;
}

Chip::Chip(const QString &text, const QString &tip, QWidget *parent) : QAbstractButton(parent)
{
    setText(singleLine(text, 2000));
    setToolTip(tip);
    setAccessibleName(tr("Remove filter %1").arg(text));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize Chip::sizeHint() const
{
    return {std::min(kWidestChip, fontMetrics().horizontalAdvance(text()) + 10 + kCross), fontMetrics().height() + 6};
}

QSize Chip::minimumSizeHint() const { return {std::min(kNarrowestChip, sizeHint().width()), sizeHint().height()}; }

void Chip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    const bool strong = underMouse() || hasFocus();
    painter.setPen(QPen(QColor::fromRgb(colours.accent), hasFocus() ? 2 : 1));
    painter.setBrush(QColor::fromRgb(strong ? colours.step[1] : colours.graphFill));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    painter.setPen(QColor::fromRgb(colours.text));
    const QRect inside = rect().adjusted(8, 0, -kCross, 0);
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideMiddle, inside.width()));
    painter.drawText(rect().adjusted(width() - kCross, 0, -4, 0), Qt::AlignCenter, QStringLiteral("✕"));
}

void Chip::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

ChipBar::ChipBar(Session *session, QWidget *parent)
    : QFrame(parent)
    , m_session(session)
    , m_row(new QHBoxLayout)
    , m_clear(new QToolButton(this))
    , m_withoutFirst(new QToolButton(this))
    , m_follow(new QToolButton(this))
{
    m_row->setSpacing(6);
    m_clear->setText(tr("Clear all"));
    m_clear->setToolTip(tr("Remove all filters (Esc removes the newest)"));
    m_follow->setText(tr("Follow view"));
    m_follow->setToolTip(tr("Limit the tables to the range that the timeline shows"));
    m_follow->setCheckable(true);
    m_withoutFirst->setText(tr("Leave out the first step"));
    m_withoutFirst->setToolTip(
        tr("It took more than twice as long as the median of the other steps, for example to compile and warm up"));
    for (QToolButton *button : {m_clear, m_withoutFirst, m_follow}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(m_row);
    layout->addWidget(m_clear);
    layout->addWidget(m_withoutFirst);
    layout->addWidget(m_follow);
    connect(m_follow, &QToolButton::toggled, session, &Session::setFollowsView);
    connect(m_clear, &QToolButton::clicked, this, [this] {
        m_session->setArea(std::nullopt);
        m_session->setFilters({});
    });
    connect(m_withoutFirst, &QToolButton::clicked, this, [this] {
        Filters filters = m_session->filters();
        filters.withoutFirstStep = true;
        m_session->setFilters(std::move(filters));
    });
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::Answers | Session::Narrowing | Session::Steps))
            refresh(!(changes & ~(Session::Renewed | Session::Grown | Session::Steps)));
    });
    refresh(false);
}

void ChipBar::refresh(bool hasGrown)
{
    setVisible(!m_session->traces().empty());
    m_withoutFirst->setVisible(!m_session->filters().withoutFirstStep && firstStepStandsOut(*m_session));
    m_follow->setChecked(m_session->followsView());
    if (hasGrown && limitTexts(*m_session) == m_texts)
        return; // the user may be clicking on one
    m_texts = limitTexts(*m_session);
    for (Chip *chip : m_chips)
        chip->deleteLater();
    m_chips.clear();
    const auto add = [this](const QString &text, const QString &tip, auto drop) {
        auto *chip = new Chip(text, wrappedHtml(tip + QLatin1Char('\n') + text), this);
        connect(chip, &QAbstractButton::clicked, m_session, drop);
        m_row->addWidget(chip);
        chip->show();
        m_chips += chip;
    };
    if (m_session->area())
        add(areaText(*m_session), tr("The selected area"), [session = m_session] { session->setArea(std::nullopt); });
    const auto tipOf = [](Filters::Part part) {
        switch (part) {
        case Filters::Part::StepMark: return tr("Slices with this name are the steps");
        case Filters::Part::FirstStep: return tr("The first step is left out because it is far longer than the others");
        case Filters::Part::Steps: return tr("Only these steps");
        case Filters::Part::Lanes: return tr("Only these lanes");
        case Filters::Part::Traces: return tr("Only these ranks");
        case Filters::Part::Name: return tr("Only slices with this name");
        case Filters::Part::WithoutNames: return tr("No slices with this name");
        case Filters::Part::Text: return tr("Only slices whose name contains this");
        case Filters::Part::Classes: return tr("Only slices of these kinds of work");
        }
        return QString();
    };
    for (const Filters::Part part : m_session->filterParts())
        add(partText(*m_session, part), tipOf(part),
            [session = m_session, part] { session->setFilters(session->filters().without(part)); });
    m_clear->setVisible(!m_chips.isEmpty() || !m_session->filters().empty());
}

QStringList ChipBar::chips() const
{
    QStringList texts;
    for (const Chip *chip : m_chips)
        texts += chip->text();
    return texts;
}

} // namespace riffle
