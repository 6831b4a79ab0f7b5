// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_positions.h"

#include <algorithm>
#include <cassert>

namespace riffle {

SlicePositions::SlicePositions(const Trace &trace) : m_grownById(trace.segmentsById)
{
    for (const auto &segment : trace.segments) {
        const bool isNext = !m_runs.empty() && m_runs.back().firstSlice + m_runs.back().size == segment->firstSlice;
        if (!m_grownById.empty())
            m_grown.push_back({segment, m_size});
        else if (isNext)
            m_runs.back().size += segment->size();
        else
            m_runs.push_back({segment->firstSlice, segment->size(), m_size});
        m_size += segment->size();
    }
    m_areIds = m_grown.empty() && (m_runs.empty() || (m_runs.size() == 1 && m_runs.front().firstSlice == 0));
}

size_t SlicePositions::inRuns(uint32_t id) const
{
    if (!m_grown.empty())
        return inGrown(id);
    const auto after = std::ranges::upper_bound(m_runs, id, {}, &Run::firstSlice);
    if (after == m_runs.begin())
        return m_size;
    const Run &run = *std::prev(after);
    return id - run.firstSlice < run.size ? run.position + (id - run.firstSlice) : m_size;
}

size_t SlicePositions::inGrown(uint32_t id) const
{
    uint32_t index = kNoRow;
    const uint32_t found = m_grownById.find(id, [&](uint32_t at) {
        index = m_grown[at].segment->indexOf(SliceId(id));
        return index != kNoRow;
    });
    return found == kNoRow ? m_size : m_grown[found].position + index;
}

size_t SlicePositions::ofFirst(const Segment &segment) const
{
    if (segment.size() == 0 || m_grown.empty())
        return inRuns(segment.firstSlice);
    const uint32_t found = numberOf(segment);
    assert(found != kNoRow);
    return m_grown[found].position;
}

uint32_t SlicePositions::numberOf(const Segment &segment) const
{
    return m_grownById.find(segment.firstSlice, [&](uint32_t at) { return m_grown[at].segment.get() == &segment; });
}

uint32_t firstFrom(std::span<const uint32_t> slices, const SlicePositions &positions, size_t position)
{
    const auto found =
        std::ranges::lower_bound(slices, position, {}, [&positions](uint32_t id) { return positions.ofExisting(id); });
    return static_cast<uint32_t>(found - slices.begin());
}

} // namespace riffle
