// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Finds the innermost slice of a lane at ascending times; it passes each slice only once.
class SliceSweep {
public:
    /// The caller must not ask for times before `from`.
    SliceSweep(const Trace &trace, LaneId lane, Ns from = kEarliestTime)
    {
        for (const uint32_t segment : trace.lanes[lane.value].segments) {
            const Segment *one = trace.segments[segment].get();
            for (uint32_t row = 0; row < one->rows(); ++row)
                if (one->rowBegin[row] < one->rowBegin[row + 1])
                    m_rows.emplace_back(trace, *one, one->overlapping(row, {from, kLatestTime}).first,
                                        one->rowBegin[row + 1]);
        }
    }

    /// The innermost slice at a time; invalid if there is none.
    SliceId innermostAt(Ns time)
    {
        SliceId found;
        uint32_t depth = 0;
        for (Row &row : m_rows) {
            if (row.span.end <= time)
                row.advance(time);
            if (row.at == row.end || row.span.begin > time || (found.valid() && row.depth < depth))
                continue;
            found = row.segment->idAt(row.at);
            depth = row.depth;
        }
        return found;
    }

private:
    struct Row {
        const Trace *trace;
        const Segment *segment;
        uint32_t at, end;
        uint32_t depth = 0; ///< the depth of the slice at `at`
        TimeSpan span;      ///< the span of that slice
        Row(const Trace &in, const Segment &of, uint32_t first, uint32_t last)
            : trace(&in)
            , segment(&of)
            , at(first)
            , end(last)
        {
            look();
        }
        void advance(Ns time)
        {
            while (at < end && segment->end(at) <= time)
                ++at;
            look();
        }
        void look()
        {
            if (at == end)
                return;
            span = {segment->slices.start[at], segment->end(at)};
            depth = trace->depthOf(*segment, at);
        }
    };
    std::vector<Row> m_rows;
};

} // namespace riffle
