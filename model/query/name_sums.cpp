// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/name_sums.h"

#include "model/base/wrapping.h"
#include "model/trace/details.h"

#include <algorithm>

namespace riffle {

namespace {

/// Adds slices to the sums of their names.
class Adder {
public:
    explicit Adder(const Trace &trace) : m_trace(trace), m_rows(trace.strings.count(), 0) {}

    void add(const Segment &segment, uint32_t at, uint32_t lane)
    {
        const uint32_t name = segment.slices.name[at];
        if (name >= m_rows.size()) // a damaged store can contain any number
            return;
        const Ns duration = segment.slices.duration[at];
        if (m_rows[name] == 0) {
            m_sums.push_back({name, lane, 0, 0, 0, duration, duration});
            m_rows[name] = static_cast<uint32_t>(m_sums.size());
        }
        NameSums &sums = m_sums[m_rows[name] - 1];
        ++sums.calls;
        addWrapping(sums.duration, duration);
        addWrapping(sums.self, m_trace.selfOf(segment, at));
        sums.shortest = std::min(sums.shortest, duration);
        sums.longest = std::max(sums.longest, duration);
    }
    /// The slices that follow get rows of their own, even if their names are known.
    void startOver()
    {
        for (; m_first < m_sums.size(); ++m_first)
            m_rows[m_sums[m_first].name] = 0;
    }
    std::vector<NameSums> take() { return std::move(m_sums); }

private:
    const Trace &m_trace;
    std::vector<uint32_t> m_rows; ///< per StringId: its row plus 1; 0 if there is none
    std::vector<NameSums> m_sums;
    size_t m_first = 0; ///< the first row since the last start
};

} // namespace

std::vector<NameSums> sumSlicesByName(const Trace &trace)
{
    Adder sums(trace);
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            sums.add(*segment, at, LaneId::kNone);
    return sums.take();
}

std::vector<NameSums> sumSlicesByLaneAndName(const Trace &trace)
{
    Adder sums(trace);
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane) {
        for (const uint32_t index : trace.lanes[lane].segments)
            if (index < trace.segments.size())
                for (uint32_t at = 0; at < trace.segments[index]->size(); ++at)
                    sums.add(*trace.segments[index], at, lane);
        sums.startOver();
    }
    return sums.take();
}

std::vector<NameSums> sumKernelsByName(const TraceFacts &facts)
{
    const Trace &trace = facts.trace();
    Adder sums(trace);
    forEachDetail(trace, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t) {
        if (facts.classes().of(segment, at) == SliceClass::Kernel)
            sums.add(segment, at, LaneId::kNone);
    });
    return sums.take();
}

} // namespace riffle
