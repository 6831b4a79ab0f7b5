// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/colour_legend.h"

#include "views/common/chart/chart.h"
#include "views/common/look/palette.h"
#include "views/timeline/timeline_state.h"

#include <QAbstractButton>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kLegendHeight = 22, kSquare = 10, kEntryPad = 6, kSeparatorRoom = 9;

/// A class in the legend, or an order of magnitude of durations. It takes no focus on a click, so that the keys of the
/// timeline still work.
class LegendEntry : public QAbstractButton {
public:
    /// The entry for an order of magnitude, which does nothing.
    LegendEntry(WorkClass fill, const QString &title, QWidget *parent) : QAbstractButton(parent), m_kind(fill)
    {
        setText(title);
        setFocusPolicy(Qt::NoFocus);
        setAccessibleName(text());
    }
    /// The entry for a class, which filters by it, and emphasises it while the pointer is over the entry.
    LegendEntry(WorkClass kind, TimelineState *state, QWidget *parent)
        : LegendEntry(kind, tr(workClassTitle(kind)), parent)
    {
        m_state = state;
        setCheckable(true);
        setFocusPolicy(Qt::TabFocus);
        const QString where = isOfThreads(kind) ? tr("threads") : tr("streams");
        setToolTip(tr("%1, on %2.\nA click filters by this class; a second click ends that.\n"
                      "Ctrl+click adds the class or takes it away.")
                       .arg(text(), where));
        setAccessibleDescription(tr("Filters by this class of slices on %1").arg(where));
    }
    QSize sizeHint() const override
    {
        return {kSquare + 3 * kEntryPad - 1 + fontMetrics().horizontalAdvance(text()), kLegendHeight};
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const Palette &colours = Palette::fitting(palette());
        if (isChecked())
            painter.fillRect(rect().adjusted(0, 2, 0, -2), QColor::fromRgba(colours.area));
        const ClassFill &fill = classFills()[classFillRow(m_kind)];
        const int top = (height() - kSquare) / 2;
        painter.fillRect(kEntryPad, top, kSquare, kSquare, QColor::fromRgb(colours.edition(fill.fill)));
        if (SeriesStyle::patterns()) {
            painter.setPen(QColor::fromRgb(Palette::mixed(colours.edition(fill.fill), colours.canvas, 0.4)));
            for (int y = top; y < top + kSquare; ++y)
                for (int x = kEntryPad; x < kEntryPad + kSquare; ++x)
                    if (isInked(patternOf(m_kind), x, y))
                        painter.drawPoint(x, y);
        }
        painter.setPen(
            QColor::fromRgb(isChecked() || (isCheckable() && underMouse()) ? colours.text : colours.dimText));
        painter.drawText(rect().adjusted(kSquare + 2 * kEntryPad - 1, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         text());
        if (hasFocus()) {
            painter.setPen(QPen(QColor::fromRgb(colours.accent), 2));
            painter.drawRect(rect().adjusted(1, 2, -1, -2));
        }
    }
    void enterEvent(QEnterEvent *) override { point(m_kind); }
    void leaveEvent(QEvent *) override { point(WorkClass::None); }

private:
    void point(WorkClass kind)
    {
        if (m_state)
            m_state->pointAtClass(kind);
        update();
    }

    WorkClass m_kind;
    TimelineState *m_state = nullptr;
};

} // namespace

ColourLegend::ColourLegend(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setFixedHeight(kLegendHeight);
    QFont small = font();
    small.setPixelSize(11);
    setFont(small);
    setAccessibleName(tr("Colours of the timeline"));
    connect(state, &TimelineState::picturesChanged, this, &ColourLegend::refresh);
    connect(state, &TimelineState::layoutChanged, this, &ColourLegend::refresh);
    connect(state->session(), &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Filter)
            refresh();
    });
    refresh();
}

void ColourLegend::refresh()
{
    WorkClassSet present = 0;
    if (m_state->colourMode() == ColourMode::Class)
        for (const auto &classes : m_state->workClasses())
            present |= classes ? classes->present : 0;
    present &= ~bitOf(WorkClass::None);
    if (std::pair(m_state->colourMode(), present) != std::exchange(m_shown, {m_state->colourMode(), present}))
        makeEntries();
    for (const Entry &entry : m_entries)
        entry.button->setChecked(m_state->session()->filters().classes & bitOf(entry.kind));
}

void ColourLegend::choose(WorkClass kind, bool adds)
{
    Filters filters = m_state->session()->filters();
    if (adds)
        filters.classes ^= bitOf(kind);
    else
        filters.classes = filters.classes == bitOf(kind) ? 0 : bitOf(kind);
    m_state->session()->setFilters(std::move(filters));
    refresh(); // a button that was clicked has changed its own state
}

void ColourLegend::makeEntries()
{
    for (const Entry &entry : m_entries) {
        entry.button->hide();
        entry.button->deleteLater();
    }
    m_entries.clear();
    m_state->pointAtClass(WorkClass::None); // an entry that is gone is left by no pointer
    for (size_t at = 0; at < kWorkClasses; ++at) {
        const auto kind = static_cast<WorkClass>(at);
        if (!(m_shown.second & bitOf(kind)))
            continue;
        m_entries.push_back({kind, new LegendEntry(kind, m_state, this)});
        connect(m_entries.back().button, &QAbstractButton::clicked, this,
                [this, kind] { choose(kind, QGuiApplication::keyboardModifiers() & Qt::ControlModifier); });
    }
    for (size_t tint = 0; tint < kDurationTints && m_shown.first == ColourMode::Duration; ++tint)
        m_entries.push_back({WorkClass::None, new LegendEntry(durationFill(tint), tr(durationTintTitle(tint)), this)});
    updateGeometry();
    arrange();
}

void ColourLegend::arrange()
{
    int x = 0;
    bool fits = true;
    m_separator = -1;
    for (size_t at = 0; at < m_entries.size(); ++at) {
        QAbstractButton *button = m_entries[at].button;
        const bool starts = at > 0 && isOfThreads(m_entries[at].kind) && !isOfThreads(m_entries[at - 1].kind);
        const int left = x + (starts ? kSeparatorRoom : 0);
        const QSize size = button->sizeHint();
        fits = fits && left + size.width() <= width();
        button->setVisible(fits);
        if (!fits)
            continue;
        if (starts)
            m_separator = x + kSeparatorRoom / 2;
        button->setGeometry(QRect(QPoint(left, 0), size));
        x = left + size.width();
    }
    update();
}

QSize ColourLegend::sizeHint() const
{
    const auto isThreads = [](const Entry &entry) { return isOfThreads(entry.kind); };
    const auto threads = std::ranges::count_if(m_entries, isThreads);
    int width = threads > 0 && threads < std::ssize(m_entries) ? kSeparatorRoom : 0;
    for (const Entry &entry : m_entries)
        width += entry.button->sizeHint().width();
    return {width, kLegendHeight};
}

QSize ColourLegend::minimumSizeHint() const { return {0, kLegendHeight}; }

void ColourLegend::paintEvent(QPaintEvent *)
{
    if (m_separator < 0)
        return;
    QPainter painter(this);
    painter.fillRect(m_separator, 4, 1, height() - 8, QColor::fromRgb(Palette::fitting(palette()).edge));
}

void ColourLegend::resizeEvent(QResizeEvent *) { arrange(); }

} // namespace riffle
