// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/landscape_state.h"

#include <algorithm>

namespace riffle {

void LandscapeState::setTimed(bool on)
{
    m_wantsTime = on;
    if (!m_made.data || timed() == (on && canBeTimed()))
        return;
    const uint32_t first = m_axis.slotAt(m_range.begin), last = m_axis.slotAt(m_range.end);
    const bool all = m_range.begin <= m_axis.whole().begin && m_range.end >= m_axis.whole().end;
    m_axis = on ? SlotAxis(m_made.data->times) : SlotAxis(m_made.data->columns.slotCount);
    m_range = confined(
        all ? m_axis.whole()
            : TimeSpan{m_axis.begin(first), std::max(m_axis.begin(first) + kNarrowestRange, m_axis.begin(last))},
        bounds());
    emit sightChanged();
}

TimeSpan LandscapeState::bounds() const
{
    const TimeSpan whole = m_axis.whole();
    return {whole.begin, std::max(whole.end, whole.begin + kNarrowestRange)};
}

void LandscapeState::setRange(TimeSpan range)
{
    if (!m_made.data)
        return;
    range = confined(range, bounds());
    if (range == m_range)
        return;
    m_range = range;
    emit sightChanged();
}

void LandscapeState::zoom(Ns anchor, double factor) { setRange(zoomed(m_range, anchor, factor)); }

void LandscapeState::pan(double share) { setRange(shifted(m_range, share)); }

void LandscapeState::showAll()
{
    setRange(m_axis.whole());
    setHeights(0, wholeTop());
}

void LandscapeState::fit()
{
    if (!m_made.data)
        return;
    uint32_t first = 0, last = 0;
    if (const uint32_t row = m_memory->selected(); row < m_made.data->columns.size.size()) {
        first = m_made.data->columns.begin[row];
        last = m_made.data->columns.end[row];
    } else if (const auto range = m_memory->range()) {
        first = m_made.data->slotOf(range->first);
        last = m_made.data->slotOf(range->last) + 1;
    } else {
        return;
    }
    const TimeSpan span{m_axis.begin(first), m_axis.begin(last)};
    setRange(padded({span.begin, std::max(span.end, span.begin + 1)}, 0.1));
}

double LandscapeState::wholeTop() const
{
    if (!m_made.data)
        return 1;
    const LevelGraph::Levels &high = m_made.data->levels.whole().high;
    return std::max(1.0, 1.06 * static_cast<double>(*std::max_element(high.begin(), high.end())));
}

void LandscapeState::setHeights(double bottom, double top)
{
    const double whole = wholeTop();
    const double height = std::clamp(top - bottom, std::min(whole, 512.0), whole);
    bottom = std::clamp(bottom, 0.0, whole - height);
    if (bottom == m_bottom && bottom + height == m_top)
        return;
    m_bottom = bottom;
    m_top = bottom + height;
    emit sightChanged();
}

void LandscapeState::zoomHeight(double anchor, double factor)
{
    setHeights(anchor - (anchor - m_bottom) * factor, anchor + (m_top - anchor) * factor);
}

} // namespace riffle
