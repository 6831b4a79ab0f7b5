// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/segments_by_id.h"

#include "model/trace/trace.h"

namespace riffle {

std::vector<IdRun> idRuns(std::span<const uint32_t> ids)
{
    constexpr uint32_t kWideGap = 4'096;
    std::vector<IdRun> runs;
    for (uint32_t rank = 0; rank < ids.size(); ++rank)
        if (const uint32_t id = ids[rank]; runs.empty() || id - runs.back().last > kWideGap)
            runs.push_back({id, id, rank});
        else
            runs.back().last = id;
    return runs;
}

SegmentsById::SegmentsById(std::span<const std::shared_ptr<const Segment>> segments)
{
    for (uint32_t at = 0; at < segments.size(); ++at) {
        const Segment &segment = *segments[at];
        if (segment.size() == 0)
            continue;
        if (segment.idRuns.empty())
            m_runs.push_back({{segment.firstSlice, segment.lastSlice().value, 0}, at});
        for (const IdRun &run : segment.idRuns)
            m_runs.push_back({run, at});
    }
    std::ranges::sort(m_runs, {}, &Run::first);
    for (auto run = m_runs.cbegin(); run != m_runs.cend(); ++run) {
        const auto after = std::upper_bound(run, m_runs.cend(), run->last,
                                            [](uint32_t last, const Run &one) { return last < one.first; });
        m_interleaved = std::max(m_interleaved, static_cast<uint32_t>(after - run - 1));
    }
}

std::vector<uint32_t> SegmentsById::segmentsIn(uint32_t first, uint32_t last) const
{
    std::vector<uint32_t> found;
    auto run = behind(last);
    for (uint32_t before = 0; run != m_runs.begin() && before <= m_interleaved;) {
        --run;
        if (run->last >= first)
            found.push_back(run->segment);
        before += run->first <= first ? 1 : 0;
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

} // namespace riffle
