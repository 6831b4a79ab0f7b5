// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"

#include <algorithm>

namespace riffle {

void LaneGrowth::visitStretches(const std::function<void(Ns end, uint32_t slices)> &visit) const
{
    for (const Piece &piece : m_pieces)
        visit(piece.stretch.end, piece.segment->size());
}

uint64_t LaneGrowth::leaveBefore(Ns time)
{
    const auto kept = std::ranges::find_if(m_pieces, [&](const Piece &piece) { return piece.stretch.end > time; });
    if (kept != m_pieces.begin())
        m_leftBefore = std::max(m_leftBefore, std::prev(kept)->stretch.end);
    uint64_t left = 0;
    for (auto piece = m_pieces.begin(); piece != kept; ++piece)
        left += piece->segment->size();
    m_pieces.erase(m_pieces.begin(), kept);
    // A long slice leaves after all that is inside of it.
    const Ns first = m_pieces.empty() ? std::min(time, m_closedUpTo) : m_pieces.front().stretch.begin;
    return left +
           m_longPages.leaveBefore(std::min(first, time), [&](const NestedSpan &gone) { m_longSlices.remove(gone); });
}

} // namespace riffle
