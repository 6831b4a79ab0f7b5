// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_positions.h"

#include <algorithm>
#include <cassert>

namespace riffle {

SlicePositions::SlicePositions(const Trace &trace) : m_interleaved(trace.interleaved)
{
    for (const auto &segment : trace.segments) {
        const bool inOrder = segment->ids.empty();
        const bool isNext = inOrder && !m_runs.empty() && !m_runs.back().segment &&
                            m_runs.back().firstSlice + m_runs.back().size == segment->firstSlice;
        if (isNext)
            m_runs.back().size += segment->size();
        else
            m_runs.push_back({segment->firstSlice, segment->size(), m_size, inOrder ? nullptr : segment});
        m_size += segment->size();
    }
    if (m_runs.size() == 1 && m_runs.front().firstSlice == 0 && !m_runs.front().segment)
        m_runs.clear();
}

size_t SlicePositions::inRuns(uint32_t id) const
{
    auto run = std::ranges::upper_bound(m_runs, id, {}, &Run::firstSlice);
    for (uint32_t looked = 0; run != m_runs.begin() && looked <= m_interleaved; ++looked) {
        --run;
        const uint32_t at = run->segment ? run->segment->indexOf(SliceId(id)) : id - run->firstSlice;
        if (at < run->size)
            return run->position + at;
    }
    return m_size;
}

size_t SlicePositions::ofFirst(const Segment &segment) const
{
    const auto after = std::ranges::upper_bound(m_runs, segment.firstSlice, {}, &Run::firstSlice);
    assert(after != m_runs.begin());
    const Run &run = *(after - 1);
    return run.position + (segment.firstSlice - run.firstSlice);
}

uint32_t firstFrom(std::span<const uint32_t> slices, const SlicePositions &positions, size_t position)
{
    const auto found =
        std::ranges::lower_bound(slices, position, {}, [&positions](uint32_t id) { return positions.ofExisting(id); });
    return static_cast<uint32_t>(found - slices.begin());
}

} // namespace riffle
