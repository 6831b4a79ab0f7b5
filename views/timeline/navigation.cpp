// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/navigation.h"

#include "model/analysis/search/same_slice.h"
#include "model/base/stopping.h"
#include "model/layout/flow_links.h"
#include "model/layout/slice_steps.h"
#include "model/layout/time_scale.h"
#include "views/common/look/qt_text.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kGlideMs = 120;
constexpr int kKeyScroll = 48;        ///< logical pixels
constexpr double kStepPadding = 0.02; ///< on each side of a step that is fitted, of its duration
} // namespace

Navigation::Navigation(TimelineState *state, QObject *parent)
    : QObject(parent)
    , m_state(state)
    , m_keys({Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D, Qt::Key_Left, Qt::Key_Right}, this)
{
    connect(&m_keys, &HeldKeys::moved, this, &Navigation::advance);
    m_glide.setDuration(kGlideMs);
    m_glide.setStartValue(0.0);
    m_glide.setEndValue(1.0);
    m_glide.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_glide, &QVariantAnimation::valueChanged, this,
            [this](const QVariant &share) { glideTo(share.toDouble()); });
    connect(state->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::VisibleRange && !(changes & Pane::Along) &&
            !m_moving) // something other than the glide moved the view
            m_glide.stop();
    });
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & Session::Selection)
            showPartner();
    });
    connect(state->pane(), &Pane::rangeRequested, this, &Navigation::jump);
    connect(state->pane(), &Pane::revealRequested, this, &Navigation::reveal);
}

bool Navigation::keyPress(const QKeyEvent &event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    if (m_keys.press(event))
        return true;
    switch (event.key()) {
    case Qt::Key_Space: m_space = true; return true;
    case Qt::Key_F: fitSelection(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: return toggleRank();
    case Qt::Key_0:
    case Qt::Key_Home: showAll(); return true;
    case Qt::Key_End: return followEnd();
    case Qt::Key_M: toggleMark(); return true;
    case Qt::Key_Period:
    case Qt::Key_Greater: selectNeighbour(1); return true;
    case Qt::Key_Comma:
    case Qt::Key_Less: selectNeighbour(-1); return true;
    case Qt::Key_N: selectSameName(event.modifiers() & Qt::ShiftModifier ? -1 : 1); return true;
    case Qt::Key_P: selectSameName(-1); return true;
    case Qt::Key_X: selectElsewhere(event.modifiers() & Qt::ShiftModifier ? -1 : 1); return true;
    case Qt::Key_BracketRight: selectAlongFlow(1); return true;
    case Qt::Key_BracketLeft: selectAlongFlow(-1); return true;
    case Qt::Key_Escape: return m_state->session()->escape();
    case Qt::Key_Up: m_state->scrollBy(-kKeyScroll); return true;
    case Qt::Key_Down: m_state->scrollBy(kKeyScroll); return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (event.modifiers() & Qt::ShiftModifier) {
            goToStep(event.key() == Qt::Key_PageUp ? -1 : 1);
            return true;
        }
        {
            const LaneWindow &window = m_state->activeWindow();
            m_state->scrollBy((event.key() == Qt::Key_PageUp ? -1 : 1) * (window.bottom - window.top) * 3 / 4);
        }
        return true;
    default: return false;
    }
}

bool Navigation::keyRelease(const QKeyEvent &event)
{
    if (event.key() == Qt::Key_Space) {
        m_space = m_space && event.isAutoRepeat();
        return true;
    }
    return m_keys.release(event);
}

void Navigation::stop()
{
    m_keys.stop();
    m_space = false;
}

void Navigation::advance(double seconds)
{
    const int zooming = m_keys.held({Qt::Key_S}) - m_keys.held({Qt::Key_W});
    const int moving = m_keys.held({Qt::Key_D, Qt::Key_Right}) - m_keys.held({Qt::Key_A, Qt::Key_Left});
    if (zooming != 0)
        zoom(anchor(), std::exp(zooming * HeldKeys::kZoomRate * seconds));
    if (moving != 0)
        pan(moving * HeldKeys::kPanRate * seconds);
}

Ns Navigation::anchor() const
{
    const TimeSpan range = m_state->pane()->visibleRange();
    const auto cursor = m_state->pane()->cursor();
    return cursor && range.contains(*cursor) ? *cursor : range.begin + range.duration() / 2;
}

void Navigation::zoom(Ns anchor, double factor)
{
    m_glide.stop();
    const TimeSpan range = m_state->pane()->visibleRange();
    if (factor < 1 && range.duration() <= kNarrowestRange)
        return;
    m_state->pane()->setVisibleRange(zoomed(range, anchor, factor));
}

void Navigation::pan(double share)
{
    m_glide.stop();
    m_state->pane()->setVisibleRange(shifted(m_state->pane()->visibleRange(), share));
}

void Navigation::jump(TimeSpan range)
{
    Pane *pane = m_state->pane();
    range = pane->allowed(range);
    m_glide.stop();
    if (!m_animated || m_state->traces().empty() || range == pane->visibleRange()) {
        pane->setVisibleRange(range);
        return;
    }
    m_glideFrom = pane->visibleRange();
    m_glideTo = range;
    m_glidesToAll = range == pane->wholeRange();
    m_glide.start();
}

void Navigation::glideTo(double share)
{
    if (m_glidesToAll)
        m_glideTo = m_state->pane()->wholeRange(); // the traces may grow meanwhile
    TimeSpan range = m_glideTo;
    if (share < 1) {
        // Durations change by equal factors in equal times; a point in time that both ranges show at the same place
        // stays there.
        const auto from = static_cast<double>(m_glideFrom.duration());
        const auto to = static_cast<double>(m_glideTo.duration());
        const double length = from * std::pow(to / from, share);
        const double done = std::abs(to - from) > 0.01 * from ? (length - from) / (to - from) : share;
        const Ns begin =
            m_glideFrom.begin + static_cast<Ns>(done * static_cast<double>(m_glideTo.begin - m_glideFrom.begin));
        range = {begin, begin + std::max<Ns>(1, static_cast<Ns>(length))};
    }
    m_moving = true;
    m_state->pane()->setVisibleRange(range);
    m_moving = false;
}

bool Navigation::followEnd()
{
    Pane *pane = m_state->pane();
    if (!m_state->session()->grows())
        return false;
    m_glide.stop();
    pane->setFollowsEnd(!pane->followsEnd());
    return true;
}

void Navigation::showAll() { jump(m_state->pane()->wholeRange()); }

std::optional<TimeSpan> Navigation::ownSpanOf(SliceRef ref) const
{
    const Trace *trace = ref.valid() ? m_state->traces().trace(ref.trace) : nullptr;
    const Segment *segment = trace ? trace->segmentOf(ref.slice) : nullptr;
    if (!segment)
        return std::nullopt;
    const uint32_t index = segment->indexOf(ref.slice);
    return TimeSpan{segment->slices.start[index], segment->end(index)};
}

std::optional<TimeSpan> Navigation::spanOf(SliceRef ref) const
{
    const auto own = ownSpanOf(ref);
    return own ? std::optional(m_state->traces().time(ref.trace).toSet(*own)) : std::nullopt;
}

void Navigation::fitSelection()
{
    Session *session = m_state->session();
    const SliceRef partner = m_state->pane()->partner(); // if the selected slice is in the other pane
    const SliceRef fitted = partner.valid() ? partner : session->selected();
    std::optional<TimeSpan> span = spanOf(fitted);
    if (!span && session->area() && m_state->pane()->shows(*session->area()))
        span = session->area()->in(m_state->traces());
    if (m_beforeFit && aim() == m_fitted) {
        jump(*m_beforeFit);
        m_beforeFit.reset();
        return;
    }
    if (!span) {
        showAll();
        return;
    }
    m_beforeFit = aim();
    const Ns length = std::max<Ns>(span->duration(), 10);
    jump(padded({span->begin, span->begin + length}, 0.05));
    m_fitted = aim();
    if (m_fitted == *m_beforeFit)
        m_beforeFit = m_state->pane()->wholeRange();
    showSlice(fitted);
}

void Navigation::toggleMark()
{
    Session *session = m_state->session();
    const Pane &pane = *m_state->pane();
    const SliceRef selected = session->selected();
    Mark made;
    if (const auto area = session->area(); area && pane.shows(*area))
        made = {area->span, {}, area->trace};
    else if (const auto span = ownSpanOf(selected))
        made = {*span, {}, selected.trace};
    else if (const auto cursor = pane.cursor())
        made = {m_state->traces().time(pane.hoveredRank()).toTrace(TimeSpan{*cursor, *cursor}), {}, pane.hoveredRank()};
    else
        return;
    std::vector<Mark> marks = session->marks();
    const auto isSame = [&](const Mark &mark) { return mark.span == made.span && mark.trace == made.trace; };
    if (std::erase_if(marks, isSame) == 0)
        marks.push_back(std::move(made));
    session->setMarks(std::move(marks));
}

bool Navigation::toggleRank()
{
    const TraceId hovered = m_state->pane()->hoveredRank();
    const TraceId rank = hovered.valid() ? hovered : m_state->session()->selected().trace;
    const std::vector<LaneItem> &items = m_state->layout().items();
    const auto heading = std::ranges::find_if(
        items, [&](const LaneItem &item) { return item.kind == LaneItem::Kind::TraceHeading && item.trace == rank; });
    if (heading == items.end())
        return false;
    m_state->toggleFold(LaneItem(*heading));
    return true;
}

void Navigation::follow(SliceId slice)
{
    if (slice.valid())
        reveal({m_state->session()->selected().trace, slice});
}

TraceId Navigation::rankWithSteps() const
{
    const Session &session = *m_state->session();
    const auto hasSteps = [&](TraceId id) { return m_state->traces().trace(id) && !session.stepsOf(id).empty(); };
    for (const TraceId id : {session.selected().trace, m_state->pane()->hoveredRank()})
        if (id.valid() && hasSteps(id))
            return id;
    for (const LoadedTrace &member : m_state->traces().loaded())
        if (hasSteps(member.id))
            return member.id;
    return {};
}

void Navigation::goToStep(int direction)
{
    const TraceId rank = rankWithSteps();
    if (!rank.valid())
        return;
    const TimeMap &time = m_state->traces().time(rank);
    const std::span<const Step> steps = m_state->session()->stepsOf(rank); // ascending
    const TimeSpan seen = time.toTrace(aim());
    const auto inside = std::ranges::count_if(
        steps, [&](const Step &step) { return seen.contains(step.span.begin + step.span.duration() / 2); });
    const Ns middle = seen.begin + seen.duration() / 2;
    const Ns from = inside <= 1 ? middle : direction > 0 ? seen.begin - 1 : seen.end;
    const Step *found = nullptr;
    for (const Step &step : steps) {
        if (direction > 0 && step.span.begin > from) {
            found = &step;
            break;
        }
        if (direction < 0 && step.span.end <= from)
            found = &step;
    }
    if (found)
        jump(padded(time.toSet(found->span), kStepPadding));
}

/// The squeezed lane of a slice; null if all slices of its lane are drawn.
const SqueezedLane *Navigation::squeezedLaneOf(SliceRef ref) const
{
    const Segment *segment = m_state->traces().trace(ref.trace)->segmentOf(ref.slice);
    const LaneItem *item = segment ? m_state->layout().find({ref.trace, segment->lane}) : nullptr;
    return item ? item->squeezed.get() : nullptr;
}

void Navigation::selectNeighbour(int direction)
{
    const SliceRef selected = m_state->session()->selected();
    if (const Trace *trace = selected.valid() ? m_state->traces().trace(selected.trace) : nullptr)
        follow(nextOnRow(*trace, selected.slice, direction, squeezedLaneOf(selected)));
}

void Navigation::selectSameName(int direction)
{
    const SliceRef selected = m_state->session()->selected();
    if (const Trace *trace = selected.valid() ? m_state->traces().trace(selected.trace) : nullptr)
        follow(nextOfName(*trace, selected.slice, direction));
}

void Navigation::selectAlongFlow(int direction)
{
    const SliceRef selected = m_state->session()->selected();
    if (const Trace *trace = selected.valid() ? m_state->traces().trace(selected.trace) : nullptr)
        follow(alongFlow(*trace, selected.slice, direction));
}

void Navigation::selectElsewhere(int direction)
{
    const SliceRef selected = m_state->session()->selected();
    if (!selected.valid() || (!m_elsewhere && !m_state->traces().trace(selected.trace))) {
        emit told(tr("Select a slice first; the key goes to the same one in the next rank or step."));
        return;
    }
    if (m_elsewhere) {
        m_elsewhere(selected, direction);
        return;
    }
    PerTrace<std::vector<Step>> steps;
    for (const LoadedTrace &member : m_state->traces().loaded()) {
        const std::span<const Step> own = m_state->session()->stepsOf(member.id);
        steps[member.id].assign(own.begin(), own.end());
    }
    m_state->jobs().run(
        QStringLiteral("same slice"),
        [set = m_state->traces(), steps = std::move(steps), selected, direction](const std::stop_token &stop) {
            return untilStopped(stop, [&] { return sameSliceElsewhere(set, steps, selected, direction); });
        },
        [this, selected](std::optional<Result<SliceRef>> found) {
            if (!found || m_state->session()->selected() != selected)
                return; // it came too late
            if (*found)
                reveal(**found);
            else
                emit told(toQString(found->error().text()));
        });
}

void Navigation::showLane(LaneRef lane)
{
    m_state->expose(lane);
    if (const LaneItem *item = m_state->layout().find(lane); item && !item->pinned)
        m_state->scrollTo(*item, 0, item->height);
}

void Navigation::showSlice(SliceRef ref)
{
    const Trace *trace = ref.valid() ? m_state->traces().trace(ref.trace) : nullptr;
    const Segment *segment = trace ? trace->segmentOf(ref.slice) : nullptr;
    if (!segment)
        return;
    const LaneRef lane{ref.trace, segment->lane};
    const auto rowOf = [&](const LaneItem *item) {
        return item ? rowInStrip(*item, *segment, ref.slice) : std::nullopt;
    };
    const LaneItem *item = m_state->layout().find(lane);
    if (const auto row = rowOf(item); !row || *row >= item->rows) {
        m_state->expose(lane, ref.slice);
        item = m_state->layout().find(lane);
    }
    const auto row = rowOf(item);
    if (!row || item->pinned)
        return;
    const int top = LaneLayout::kPadding + static_cast<int>(*row) * item->rowHeight;
    m_state->scrollTo(*item, top, top + item->rowHeight);
}

/// Scrolls the other end of the selected slice's launch into view if its lane scrolls apart, so that the selected slice
/// stays where it is.
void Navigation::showPartner()
{
    const SliceRef selected = m_state->session()->selected();
    const Trace *trace = selected.valid() ? m_state->traces().trace(selected.trace) : nullptr;
    if (!trace)
        return;
    const auto itemOf = [&](SliceId slice) -> const LaneItem * {
        const Segment *segment = trace->segmentOf(slice);
        return segment ? m_state->layout().find({selected.trace, segment->lane}) : nullptr;
    };
    const std::vector<FlowLink> links = flowLinks(*trace, selected.slice, 1); // launches come first
    if (links.empty())
        return;
    const SliceId partner = links[0].from == selected.slice ? links[0].to : links[0].from;
    const LaneItem *own = itemOf(selected.slice), *other = itemOf(partner);
    const LaneViewport &viewport = m_state->viewport();
    if (!own || !other || viewport.of(*own).part == viewport.of(*other).part)
        return;
    const Segment *segment = trace->segmentOf(partner);
    const auto found = rowInStrip(*other, *segment, partner);
    if (!found)
        return;
    const uint32_t row = std::min(*found, other->rows - 1);
    const int top = LaneLayout::kPadding + static_cast<int>(row) * other->rowHeight;
    m_state->scrollTo(*other, top, top + other->rowHeight);
}

void Navigation::reveal(SliceRef slice)
{
    if (!spanOf(slice))
        return;
    m_state->session()->select(slice);
    bringIntoView(slice);
}

void Navigation::bringIntoView(SliceRef slice)
{
    const auto span = spanOf(slice);
    if (!span)
        return;
    showSlice(slice);
    const TimeSpan range = aim();
    const Ns length = span->duration();
    const bool tooSmall = length > 0 && static_cast<double>(length) < static_cast<double>(range.duration()) * 0.002;
    const bool tooLarge = length > range.duration();
    const TimeSpan core = TimeSpan{span->begin, std::max(span->end, span->begin + 1)};
    if (core.begin >= range.begin && core.end <= range.end && !tooSmall)
        return;
    if (tooLarge && core.overlaps(range))
        return;
    Ns wanted = range.duration();
    if (tooSmall)
        wanted = std::max<Ns>(kNarrowestRange, length * 20);
    else if (tooLarge)
        wanted = length + length / 5;
    const Ns middle = core.begin + core.duration() / 2;
    jump({middle - wanted / 2, middle - wanted / 2 + wanted});
}

void Navigation::zoomTo(SliceRef slice)
{
    m_state->session()->select(slice);
    m_beforeFit.reset();
    fitSelection();
}

} // namespace riffle
