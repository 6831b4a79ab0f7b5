// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/compare_page.h"

#include "model/analysis/search/same_slice.h"
#include "model/analysis/table/change.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "model/layout/time_scale.h"
#include "views/common/look/elided_label.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/pane_link.h"
#include "views/compare/side_chooser.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr int kWideLabels = 230, kNarrowLabels = 176; ///< logical pixels of the names of lanes
constexpr int kNameLength = 40;                       ///< characters of the name of the selected slice
constexpr double kDeviceShare = 0.65;                 ///< of the height of a pane, for the lanes of devices at first
constexpr double kRoomAround = 0.02;                  ///< of a part, on each side of it at first

const auto kLanesJob = QStringLiteral("lanes");

/// "46.8 ms → 48.3 ms (+1.46 ms, +3.1 %)"
QString changeOf(Ns a, Ns b)
{
    const Change change{a, b};
    const auto signedText = [](const std::string &text, double of) { return toQString(changeText(text, of)); };
    QString more = signedText(formatDuration(change.delta()), static_cast<double>(change.delta()));
    if (a > 0)
        more += QStringLiteral(", ") + signedText(formatShare(change.share()), change.share());
    return QStringLiteral("%1 → %2 (%3)").arg(toQString(formatDuration(a)), toQString(formatDuration(b)), more);
}

QString shortened(const QString &name)
{
    const QString line = singleLine(name);
    return line.size() > kNameLength ? line.left(kNameLength - 1) + QStringLiteral("…") : line;
}

QString countOf(uint64_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

} // namespace

ComparePage::ComparePage(ComparisonState *state, QWidget *parent)
    : View(state->session(), Session::Traces | Session::Selection, parent) // the state tells the rest
    , m_state(state)
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_summary(new ElidedLabel(this))
    , m_swap(new QToolButton(this))
    , m_beside(new QToolButton(this))
    , m_linked(new QToolButton(this))
{
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 2, 6, 2);
    bar->setSpacing(6);
    bar->addWidget(m_summary, 1);
    for (QToolButton *button : {m_swap, m_beside, m_linked})
        bar->addWidget(button);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_splitter, 1);
    m_splitter->setChildrenCollapsible(false);
    for (const size_t side : {size_t{0}, size_t{1}}) {
        m_columns[side] = new QWidget(m_splitter);
        m_choosers[side] = new SideChooser(state, side, m_columns[side]);
        auto *own = new QVBoxLayout(m_columns[side]);
        own->setContentsMargins(0, 0, 0, 0);
        own->setSpacing(0);
        own->addWidget(m_choosers[side]);
        own->addStretch(1); // until there are lanes
        connect(m_choosers[side], &SideChooser::chosen, this, [this, side] { takeFocus(side); });
        connect(m_choosers[side], &SideChooser::told, this, &ComparePage::told);
    }
    makeTools();
    connect(state, &ComparisonState::changed, this, [this](ComparisonState::Changes changes) {
        if (changes & ComparisonState::Choice)
            markDirty(Session::Members);
        else
            markDirty(Session::Renewed);
    });
}

ComparePage::~ComparePage()
{
    // The timelines use the panes, which are the session's children so that it tells them what changes.
    for (TimelineView *&timeline : m_timelines)
        delete std::exchange(timeline, nullptr); // its children still send events, which eventFilter() sees
    delete m_link;
    for (Pane *pane : m_panes)
        delete pane;
}

void ComparePage::makeTools()
{
    m_swap->setText(tr("Swap"));
    m_swap->setToolTip(tr("Let A and B change places"));
    m_beside->setText(tr("Side by side"));
    m_beside->setToolTip(tr("The lanes of A and B stand side by side instead of above each other"));
    m_linked->setText(tr("Linked"));
    m_linked->setToolTip(
        tr("Both sides show the same times after the start of their parts, and the cursor is in both"));
    for (QToolButton *button : {m_swap, m_beside, m_linked})
        button->setFocusPolicy(Qt::TabFocus);
    for (QToolButton *button : {m_beside, m_linked})
        button->setCheckable(true);
    m_linked->setChecked(true);
    connect(m_swap, &QToolButton::clicked, m_state, &ComparisonState::swapSides);
    connect(m_beside, &QToolButton::toggled, this, [this](bool on) {
        m_splitter->setOrientation(on ? Qt::Horizontal : Qt::Vertical);
        showRulers();
    });
    connect(m_linked, &QToolButton::toggled, this, [this](bool on) {
        if (m_link)
            m_link->setOn(on);
        showRulers();
    });
}

void ComparePage::makePanes()
{
    if (m_link)
        return;
    for (const size_t side : {size_t{0}, size_t{1}}) {
        m_panes[side] = new Pane(session());
        m_panes[side]->showOnly({m_state->choice(side).trace}); // before lanes of all traces are laid out
        m_timelines[side] = new TimelineView(m_panes[side], m_columns[side]);
        TimelineView *timeline = m_timelines[side];
        timeline->setAccessibleName(side ? tr("Timeline of B") : tr("Timeline of A"));
        auto *column = static_cast<QVBoxLayout *>(m_columns[side]->layout());
        delete column->takeAt(1); // the stretch
        column->addWidget(timeline, 1);
        timeline->installEventFilter(this);
        timeline->canvas().installEventFilter(this);
        connect(timeline, &TimelineView::tableRequested, this, &ComparePage::tableRequested);
        connect(timeline, &TimelineView::comparisonRequested, this, &ComparePage::comparisonRequested);
        connect(timeline, &TimelineView::told, this, &ComparePage::told);
        timeline->navigation().setElsewhere([this](SliceRef slice, int) { goToOther(slice); });
        timeline->show();
    }
    m_link = new PaneLink(m_panes[0], m_panes[1], this);
    m_link->setOn(m_linked->isChecked());
    showRulers();
    setFocusProxy(m_timelines[0]);
}

/// One ruler serves both timelines if they show the same times below each other.
void ComparePage::showRulers()
{
    if (!m_link)
        return;
    const bool shareOne = isLinked() && !isSideBySide();
    m_timelines[0]->setSlim(true);
    m_timelines[1]->setSlim(!shareOne);
    for (TimelineView *timeline : m_timelines)
        timeline->setLabelWidth(isSideBySide() ? kNarrowLabels : kWideLabels);
    const int ruler = shareOne ? m_timelines[0]->ruler().height() : 0; // both have equal lanes
    const int room = m_splitter->orientation() == Qt::Vertical ? m_splitter->height() : m_splitter->width();
    m_splitter->setSizes({(room + ruler) / 2, (room - ruler) / 2});
}

bool ComparePage::isLinked() const { return m_linked->isChecked(); }

void ComparePage::setLinked(bool on) { m_linked->setChecked(on); }

bool ComparePage::isSideBySide() const { return m_beside->isChecked(); }

void ComparePage::setSideBySide(bool on) { m_beside->setChecked(on); }

QString ComparePage::summary() const { return m_summary->text(); }

TimelineView *ComparePage::activeTimeline() const { return m_timelines[m_active]; }

void ComparePage::goToStep(int direction)
{
    const auto &parts = m_state->parts();
    if (!parts || !session()->traces().trace(m_state->choice(m_active).trace))
        return;
    SideChoice choice = m_state->choice(m_active);
    const std::span<const Step> steps = session()->stepsOf(choice.trace);
    const ComparedSide &side = parts->sides[m_active];
    const auto now =
        side.part.steps
            ? std::ranges::find(steps, direction > 0 ? side.part.steps->end : side.part.steps->begin, &Step::number)
            : steps.end();
    const auto at = now - steps.begin() + direction;
    if (now == steps.end() || at < 0 || static_cast<size_t>(at) >= steps.size()) {
        emit told(now == steps.end() ? tr("This side is about no step.") : tr("This trace has no further step."));
        return;
    }
    const int64_t number = steps[static_cast<size_t>(at)].number;
    const std::string mark = choice.request.stepMark;
    choice = medianStepOf(choice.trace, mark);
    choice.request.steps = TimeSpan{number, number};
    m_state->choose(m_active, choice);
}

void ComparePage::takeFocus(size_t side)
{
    if (m_timelines[side])
        m_timelines[side]->setFocus();
}

bool ComparePage::eventFilter(QObject *watched, QEvent *event)
{
    for (const size_t side : {size_t{0}, size_t{1}})
        if (watched == m_timelines[side] && event->type() == QEvent::FocusIn) {
            m_active = side;
            setFocusProxy(m_timelines[side]);
        } else if (m_timelines[side] && watched == &m_timelines[side]->canvas() && event->type() == QEvent::Resize) {
            giveDeviceRoom(side, static_cast<QResizeEvent *>(event)->size().height());
        }
    return View::eventFilter(watched, event);
}

/// Gives the lanes of devices, to which the changes belong, most of a small pane, unless the user has moved the
/// divider.
void ComparePage::giveDeviceRoom(size_t side, int height)
{
    TimelineState &state = m_timelines[side]->state();
    if (state.viewport().deviceWish() != m_deviceWishes[side])
        return;
    m_deviceWishes[side] = std::max(1, static_cast<int>(height * kDeviceShare));
    state.setDeviceWish(m_deviceWishes[side]);
}

/// A side that went out of memory while the page was hidden is read again.
void ComparePage::showEvent(QShowEvent *event)
{
    View::showEvent(event);
    m_state->requestUnloaded();
}

void ComparePage::refresh(Session::Changes changes)
{
    if (!m_state->hasChoices()) {
        dropLanes();
        m_placed.reset();
        describe();
        return;
    }
    makePanes();
    const bool areOthers = m_placed != std::array<SideChoice, 2>{m_state->choice(0), m_state->choice(1)};
    if (areOthers || changes & (Session::Traces | Session::Members)) // the ids of slices may be others
        dropLanes();
    if (changes & Session::Answers) {
        showSides();
        m_state->findParts();
        if (m_state->parts()) {
            placePanes();
            findLanes();
        } else {
            dropLanes();
        }
    }
    showPartner(changes & Session::Selection ? Scroll::ToIt : Scroll::No);
    describe();
}

/// Forgets the bands and partners, which are about other parts.
void ComparePage::dropLanes()
{
    m_jobs.cancel(kLanesJob);
    if (!std::exchange(m_lanes, std::nullopt))
        return;
    for (TimelineView *timeline : m_timelines)
        timeline->state().setOwnBands({});
}

void ComparePage::showSides()
{
    for (const size_t side : {size_t{0}, size_t{1}})
        m_panes[side]->showOnly({m_state->choice(side).trace});
}

/// Goes to the parts if they are others than before. If only their times are others, because the clock of a trace was
/// shifted, what is seen of them stays.
void ComparePage::placePanes()
{
    const ComparedParts &parts = *m_state->parts();
    const std::array<SideChoice, 2> choices{m_state->choice(0), m_state->choice(1)};
    const bool areOthers = m_placed != choices;
    m_placed = choices;
    std::array<Ns, 2> origins, moved;
    Ns longest = 1;
    for (const size_t side : {size_t{0}, size_t{1}}) {
        const TimeSpan span = session()->traces().time(choices[side].trace).toSet(parts.spans[side]);
        origins[side] = span.begin;
        moved[side] = saturatedSum(span.begin, -m_panes[side]->origin());
        longest = std::max(longest, span.duration());
    }
    const std::array<TimeSpan, 2> before{m_panes[0]->visibleRange(), m_panes[1]->visibleRange()};
    for (const size_t side : {size_t{0}, size_t{1}})
        m_panes[side]->setOrigin(origins[side]);
    for (const size_t side : {size_t{0}, size_t{1}}) {
        if (areOthers)
            m_panes[side]->setVisibleRange(
                padded(TimeSpan{origins[side], saturatedSum(origins[side], longest)}, kRoomAround));
        else if (moved[side] != 0)
            m_panes[side]->setVisibleRange(movedBy(before[side], moved[side]));
    }
}

/// Computes the bands of the changes, and who is whose partner.
void ComparePage::findLanes()
{
    m_jobs.run(kLanesJob, session()->inTurn([comparison = m_state->comparison()](const std::stop_token &stop) {
        return comparison->lanes(stop);
    }),
               [this](std::optional<ComparedLanes> lanes) {
                   if (!lanes || !m_state->parts())
                       return;
                   m_lanes = std::move(lanes);
                   for (const size_t side : {size_t{0}, size_t{1}}) {
                       SetBands bands;
                       if (session()->traces().trace(m_state->choice(side).trace))
                           bands[m_state->choice(side).trace] = m_lanes->bands.sides[side];
                       m_timelines[side]->state().setOwnBands(std::move(bands));
                   }
                   showPartner(Scroll::No);
                   describe();
               });
}

void ComparePage::describe()
{
    if (!m_state->parts()) {
        const QString problem = m_state->problem();
        m_summary->setText(!m_state->hasChoices() ? tr("Nothing is loaded that can be compared.")
                           : problem.isEmpty()    ? tr("Finding the parts…")
                                                  : problem);
        return;
    }
    const ComparedParts &parts = *m_state->parts();
    QString text = tr("Time %1").arg(changeOf(parts.spans[0].duration(), parts.spans[1].duration()));
    if (m_state->choice(0) == m_state->choice(1))
        text += QStringLiteral(" · ") + tr("A and B are the same part of the same trace");
    const SliceRef selected = session()->selected();
    const auto side = sideOf(selected);
    const SliceRef partner = side ? partnerOf(selected, *side) : SliceRef();
    if (partner.valid()) {
        const Trace &trace = *session()->traces().trace(selected.trace);
        const auto own = trace.slice(selected.slice),
                   other = session()->traces().trace(partner.trace)->slice(partner.slice);
        if (own && other) {
            const Ns lengths[2] = {own->data.duration, other->data.duration};
            text += QStringLiteral(" · ") +
                    tr("selected, %1: %2")
                        .arg(shortened(toQString(trace.string(own->data.name))),
                             *side == 0 ? changeOf(lengths[0], lengths[1]) : changeOf(lengths[1], lengths[0]));
        }
    } else if (side && m_lanes) {
        text += QStringLiteral(" · ") + tr("the selected slice has no partner");
    } else if (m_lanes) {
        const DeviceComparison::Counts &counts = m_lanes->counts;
        text += QStringLiteral(" · ") +
                tr("device work: %1 paired, %2 renamed, %3 gone, %4 new")
                    .arg(countOf(counts.same), countOf(counts.renamed), countOf(counts.gone), countOf(counts.added));
    }
    m_summary->setText(text);
}

/// The side whose part has a slice. If both sides are of its trace, this is the one in which it has a partner, then the
/// one in whose time it starts, then the one that had the focus.
std::optional<size_t> ComparePage::sideOf(SliceRef slice) const
{
    if (!slice.valid() || !m_state->hasChoices() || !m_link)
        return std::nullopt;
    const bool isOf[2] = {m_state->choice(0).trace == slice.trace, m_state->choice(1).trace == slice.trace};
    if (!isOf[0] && !isOf[1])
        return std::nullopt;
    if (isOf[0] != isOf[1])
        return isOf[0] ? 0 : 1;
    for (const size_t side : {m_active, 1 - m_active})
        if (m_lanes && m_lanes->partners.of(side, slice.slice).valid())
            return side;
    const Trace *trace = session()->traces().trace(slice.trace);
    const auto found = trace ? trace->slice(slice.slice) : std::nullopt;
    for (const size_t side : {m_active, 1 - m_active})
        if (found && m_state->parts() && m_state->parts()->spans[side].contains(found->data.start))
            return side;
    return m_active;
}

QJsonObject ComparePage::saveState() const
{
    QJsonObject state = m_state->saveState();
    state[QStringLiteral("sideBySide")] = isSideBySide();
    state[QStringLiteral("linked")] = isLinked();
    return state;
}

void ComparePage::restoreState(const QJsonObject &state)
{
    setSideBySide(state[QStringLiteral("sideBySide")].toBool());
    setLinked(state[QStringLiteral("linked")].toBool(true));
    m_state->restoreState(state);
}

} // namespace riffle
