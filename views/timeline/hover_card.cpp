// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/hover_card.h"

#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "model/layout/colours.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kRestMs = 50;   ///< how long the pointer rests before more is looked up
constexpr int kLongest = 400; ///< characters of a name that are looked at
const QString kLookUpJob = QStringLiteral("card");
} // namespace

HoverCard::HoverCard(TimelineState *state, QWidget *parent) : TextCard(parent), m_state(state)
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &HoverCard::lookUp);
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members))
            dismiss();
    });
}

QStringList HoverCard::describe(const Hit &hit, Ns time, Ns reach) const
{
    const Trace *trace = hit.item ? m_state->traces().trace(hit.item->trace) : nullptr;
    if (!trace)
        return {};
    const QString lane = toQString(hit.item->title);
    const TimeMap &map = m_state->traces().time(hit.item->trace);
    if (hit.item->kind == LaneItem::Kind::Graph) {
        const auto &graphs = m_state->graphs()[hit.item->trace];
        if (!graphs || hit.item->graph >= graphs->size())
            return {};
        const TraceGraph &graph = (*graphs)[hit.item->graph];
        QStringList lines;
        for (const TraceGraph::Mark &mark : graph.marks)
            if (const Ns at = map.toSet(mark.time); lines.isEmpty() && at - time <= reach && time - at <= reach)
                lines = {toQString(mark.text), m_state->timeText(at)};
        const double value = graph.graph.valueAt(map.toTrace(time));
        if (!std::isnan(value))
            lines += {toQString(graph.unit == TraceGraph::Unit::Bytes ? formatBytes(static_cast<int64_t>(value))
                                                                      : formatNumber(value)),
                      lane};
        return lines;
    }
    if (hit.instant.valid() && hit.instant.value < trace->instants.time.size()) {
        const Ns at = map.toSet(trace->instants.time[hit.instant.value]);
        return {singleLine(toQString(trace->string(trace->instants.name[hit.instant.value])), 400),
                m_state->timeText(at), lane};
    }
    if (hit.band) {
        const BandTrack &track = *hit.item->bands;
        return {toQString(track.nameOf(*hit.band)),
                toQString(formatDuration(track.bands->slices.duration[*hit.band])) + QStringLiteral("  ·  ") + lane};
    }
    return {};
}

/// The colour that the slice has in the lanes.
QRgb HoverCard::squareOf() const
{
    const Palette &colours = Palette::fitting(palette());
    const Trace &trace = *m_state->traces().trace(m_slice.trace);
    const std::optional<Slice> slice = trace.slice(m_slice.slice);
    const uint8_t name = nameColour(slice ? trace.string(slice->data.name) : std::string_view());
    const WorkClasses *classes = m_state->workClasses()[m_slice.trace].get();
    if (m_state->colourMode() != ColourMode::Class || !classes || classes->slices.empty())
        return colours.sliceColours()[name];
    const bool isOld = slice && slice->end() <= classes->since;
    const WorkClass kind = isOld ? classes->ofOlder(slice->data.name) : classes->of(m_slice.slice.value);
    return colours.edition(classFills()[classFillRow(kind, name)].fill);
}

CardText HoverCard::textOf(const HoverCard *other) const
{
    CardText text;
    text.heading = singleLine(toQString(m_card.name), kLongest);
    if (text.heading.isEmpty())
        text.heading = tr("(no name)");
    text.square = squareOf();
    for (const CardRow &row : m_card.rows) {
        const std::string difference = other ? differenceText(row, other->m_card) : std::string();
        text.lines.append({toQString(row.label), singleLine(toQString(row.text)), toQString(difference)});
    }
    for (const QString &note : m_notes)
        text.lines.append({{}, note, {}});
    return text;
}

void HoverCard::lookUp()
{
    const Session &session = *m_state->session();
    if (!slice().valid() || !m_state->traces().trace(m_slice.trace))
        return;
    const std::span<const Step> steps = session.stepsOf(m_slice.trace);
    m_jobs.run(
        kLookUpJob,
        [facts = session.facts(), slice = m_slice,
         steps = std::vector(steps.begin(), steps.end())](const std::stop_token &stop) {
            return untilStopped(stop, [&] {
                const TraceFacts &own = facts->of(slice.trace);
                const bool isKnown = own.trace().segmentOf(slice.slice); // otherwise it came later, or long before
                return isKnown ? std::optional(fullSliceCard(own, slice.slice, steps)) : std::nullopt;
            });
        },
        [this, slice = m_slice](std::optional<std::optional<SliceCard>> card) {
            if (!card || !*card || slice != this->slice())
                return;
            m_card = std::move(**card);
            showText(textOf(m_other), m_at, m_bounds, m_other ? m_other->geometry() : QRect());
        });
}

void HoverCard::take(const HoverCard &other)
{
    m_slice = other.m_slice;
    m_card = other.m_card;
    m_notes = other.m_notes;
    m_at = other.m_at;
    m_bounds = other.m_bounds;
    m_other = nullptr;
    showText(textOf(nullptr), m_at, m_bounds);
    setGeometry(other.geometry());
    m_rest.start();
}

void HoverCard::showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds, const HoverCard *other)
{
    constexpr Ns kPixels = 4;
    m_at = at;
    m_bounds = bounds;
    m_other = other;
    const Trace *trace = hit.item ? m_state->traces().trace(hit.item->trace) : nullptr;
    if (!trace || !hit.slice.valid() || !trace->slice(hit.slice.slice)) {
        m_slice = {};
        const Ns reach = m_state->pane()->visibleRange().duration() / std::max(1, bounds.width()) * kPixels;
        showLines(describe(hit, time, reach), at, bounds);
        return;
    }
    if (hit.slice != slice()) {
        m_card = sliceCard(*trace, hit.slice.slice, m_state->session()->stepsOf(hit.slice.trace));
        m_rest.start();
    }
    m_slice = hit.slice;
    m_notes.clear();
    if (hit.crowd > 1 && hit.box.x1 - hit.box.x0 <= 2)
        m_notes.append(tr("%1 slices here; the longest is shown").arg(toQString(formatCount(hit.crowd))));
    showText(textOf(other), at, bounds, other ? other->geometry() : QRect());
}

} // namespace riffle
