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
constexpr double kLeastOfRange = 0.004;               ///< of the visible range: a shorter slice is zoomed to
constexpr Ns kSlicesInRange = 20;                     ///< the range that such a slice gets, in its lengths

const auto kLanesJob = QStringLiteral("lanes"), kSameJob = QStringLiteral("same slice");

TimeSpan movedBy(TimeSpan span, Ns by) { return {saturatedSum(span.begin, by), saturatedSum(span.end, by)}; }

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

SliceRef ComparePage::partnerOf(SliceRef slice, size_t side) const
{
    const SliceId partner = m_lanes && m_state->parts() ? m_lanes->partners.of(side, slice.slice) : SliceId();
    const TraceId trace = m_state->choice(1 - side).trace;
    const TraceSet &set = session()->traces();
    return partner.valid() && set.trace(slice.trace) && set.trace(trace) ? SliceRef{trace, partner} : SliceRef();
}

/// Outlines the partner of the selected slice.
void ComparePage::showPartner(Scroll scroll)
{
    const SliceRef selected = session()->selected();
    const auto side = sideOf(selected);
    const SliceRef partner = side ? partnerOf(selected, *side) : SliceRef();
    for (const size_t other : {size_t{0}, size_t{1}})
        m_panes[other]->setPartner(side && other != *side ? partner : SliceRef());
    if (partner.valid() && scroll == Scroll::ToIt)
        m_timelines[1 - *side]->navigation().showSlice(partner);
}

/// The time of a slice after the origin of a side's pane.
std::optional<TimeSpan> ComparePage::spanOf(SliceRef ref, size_t side) const
{
    const Trace *trace = ref.valid() ? session()->traces().trace(ref.trace) : nullptr;
    const auto slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return std::nullopt;
    const TimeSpan own{slice->data.start, saturatedSum(slice->data.start, std::max<Ns>(slice->data.duration, 1))};
    return movedBy(session()->traces().time(ref.trace).toSet(own), -m_panes[side]->origin());
}

/// Selects a slice, and shows its partner at once.
void ComparePage::select(SliceRef slice)
{
    session()->select(slice);
    showPartner(Scroll::ToIt);
    describe();
}

bool ComparePage::reveal(SliceRef slice)
{
    refreshNow();
    const auto side = sideOf(slice);
    if (!side)
        return false;
    select(slice);
    showTogether(slice, *side, partnerOf(slice, *side));
    return true;
}

/// Moves the panes so that a slice and its partner are in view. Linked panes show both only if the range reaches from
/// one to the other.
void ComparePage::showTogether(SliceRef slice, size_t side, SliceRef partner)
{
    m_timelines[side]->navigation().showSlice(slice);
    if (!isLinked() || !partner.valid()) {
        m_timelines[side]->navigation().bringIntoView(slice);
        if (partner.valid())
            m_timelines[1 - side]->navigation().bringIntoView(partner);
        return;
    }
    const auto own = spanOf(slice, side), other = spanOf(partner, 1 - side);
    if (!own || !other)
        return;
    m_timelines[1 - side]->navigation().showSlice(partner);
    const TimeSpan both{std::min(own->begin, other->begin), std::max(own->end, other->end)};
    const TimeSpan seen = movedBy(m_panes[side]->visibleRange(), -m_panes[side]->origin());
    const Ns length = std::max(own->duration(), other->duration());
    const bool isTooSmall = static_cast<double>(length) < kLeastOfRange * static_cast<double>(seen.duration());
    if (both.begin >= seen.begin && both.end <= seen.end && !isTooSmall)
        return;
    const Ns wanted =
        std::max(both.duration() + both.duration() / 5,
                 isTooSmall ? length * kSlicesInRange : std::min(seen.duration(), length * kSlicesInRange));
    const Ns begin = both.begin + both.duration() / 2 - wanted / 2 + m_panes[side]->origin();
    m_timelines[side]->navigation().jump({begin, begin + wanted});
}

/// Goes from a slice to its partner or, if it has none, to the slice with the same place in the other side's step.
void ComparePage::goToOther(SliceRef slice)
{
    const auto side = sideOf(slice);
    if (!side || !session()->traces().trace(slice.trace)) {
        emit told(tr("The selected slice is in neither of the two traces that are compared."));
        return;
    }
    const size_t other = 1 - *side;
    const auto go = [this, other](SliceRef found) {
        m_active = other; // sideOf() prefers it, if both sides are of one trace
        select(found);
        takeFocus(other);
        showTogether(found, other, partnerOf(found, other));
    };
    if (const SliceRef partner = partnerOf(slice, *side); partner.valid()) {
        go(partner);
        return;
    }
    const SideChoice target = m_state->choice(other);
    const Session &now = *session();
    if (!now.traces().trace(target.trace))
        return;
    std::optional<int64_t> step; // the only one of the other side
    if (m_state->parts() && m_state->parts()->sides[other].part.steps)
        if (const TimeSpan steps = *m_state->parts()->sides[other].part.steps; steps.begin == steps.end)
            step = steps.begin;
    const auto stepsOf = [&](TraceId trace) {
        const std::span<const Step> steps = now.stepsOf(trace);
        return std::vector<Step>(steps.begin(), steps.end());
    };
    m_jobs.run(
        kSameJob,
        [set = now.traces(), slice, target, step, own = stepsOf(slice.trace), others = stepsOf(target.trace),
         isOneTrace = slice.trace == target.trace](const std::stop_token &stop) {
            return untilStopped(stop, [&]() -> Result<SliceRef> {
                auto place = callPlaceOf(*set.trace(slice.trace), own, slice.slice);
                if (!place)
                    return place.error();
                if (isOneTrace && !step)
                    return Error{"The slice has no partner.", {}, std::nullopt, ErrorKind::Question};
                if (place->step && step)
                    place->step->number = *step;
                const auto found = sliceAtPlace(*set.trace(target.trace), others, *place,
                                                step ? SameStepBy::Number : SameStepBy::Offset);
                if (!found)
                    return found.error();
                return SliceRef{target.trace, *found};
            });
        },
        [this, go, slice](std::optional<Result<SliceRef>> found) {
            if (!found || session()->selected() != slice)
                return; // it came too late
            if (*found)
                go(**found);
            else
                emit told(toQString(found->error().text()));
        });
}

bool ComparePage::settled() const
{
    const auto isSettled = [](const TimelineView *timeline) { return !timeline || timeline->settled(); };
    return m_state->settled() && m_jobs.idle() && isSettled(m_timelines[0]) && isSettled(m_timelines[1]);
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
