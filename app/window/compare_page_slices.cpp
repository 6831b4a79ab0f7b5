// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The slices of a comparison: the partner of the selected one, and the same one on the other side.
#include "app/window/compare_page.h"

#include "model/analysis/search/same_slice.h"
#include "model/base/stopping.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/pane_link.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr double kLeastOfRange = 0.004; ///< of the visible range: a shorter slice is zoomed to
constexpr Ns kSlicesInRange = 20;       ///< the range that such a slice gets, in its lengths

const auto kSameJob = QStringLiteral("same slice");

} // namespace

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

} // namespace riffle
