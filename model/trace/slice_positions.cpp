// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_positions.h"

#include <algorithm>

namespace riffle {

SlicePositions::SlicePositions(const Trace &trace)
{
    for (const auto &segment : trace.segments) {
        const bool isNext = !m_runs.empty() && m_runs.back().firstSlice + m_runs.back().size == segment->firstSlice;
        if (isNext)
            m_runs.back().size += segment->size();
        else
            m_runs.push_back({segment->firstSlice, segment->size(), m_size});
        m_size += segment->size();
    }
    if (m_runs.size() == 1 && m_runs.front().firstSlice == 0)
        m_runs.clear();
}

size_t SlicePositions::inRuns(uint32_t id) const
{
    const auto after = std::ranges::upper_bound(m_runs, id, {}, &Run::firstSlice);
    if (after == m_runs.begin())
        return m_size;
    const Run &run = *(after - 1);
    return id - run.firstSlice < run.size ? run.position + (id - run.firstSlice) : m_size;
}

} // namespace riffle
