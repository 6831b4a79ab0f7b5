// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

struct Segment;

/// Ids from the first to the last one. Nearly all of them are slices of one segment.
struct IdRun {
    uint32_t first = 0, last = 0;
    uint32_t rank = 0; ///< the number of the segment's ids before the first one
};

/// Divides ascending ids into runs, at gaps that are wide enough for the ids of other segments.
std::vector<IdRun> idRuns(std::span<const uint32_t> ids);

/// Finds segments by the ids of their slices, in traces whose segments have ids that interleave.
class SegmentsById {
public:
    SegmentsById() = default;
    explicit SegmentsById(std::span<const std::shared_ptr<const Segment>> segments);

    bool empty() const { return m_runs.empty(); }
    /// Calls isIt(segment) with the numbers of the segments that may have the id, until it returns true. Returns the
    /// number of that segment; kNoRow if there is none.
    template <typename F>
    uint32_t find(uint32_t id, F isIt) const
    {
        auto run = behind(id);
        for (uint32_t looked = 0; run != m_runs.begin() && looked <= m_interleaved; ++looked)
            if (--run; run->last >= id && isIt(run->segment))
                return run->segment;
        return kNoRow;
    }
    /// Returns the numbers of the segments that may have ids in [first, last], ascending.
    std::vector<uint32_t> segmentsIn(uint32_t first, uint32_t last) const;

private:
    struct Run : IdRun {
        uint32_t segment = 0;
    };
    std::vector<Run>::const_iterator behind(uint32_t id) const
    {
        return std::ranges::upper_bound(m_runs, id, {}, &Run::first);
    }

    std::vector<Run> m_runs;    ///< ordered by first
    uint32_t m_interleaved = 0; ///< the most runs by which that of an id is before the last one with first <= id
};

} // namespace riffle
