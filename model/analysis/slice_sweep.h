// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Which slice of a lane is the innermost at a time, for times that ascend: each slice is passed once.
class SliceSweep {
public:
    SliceSweep(const Trace &trace, LaneId lane)
    {
        for (const uint32_t segment : trace.lanes[lane.value].segments) {
            const Segment *one = trace.segments[segment].get();
            for (uint32_t row = 0; row < one->rows(); ++row)
                m_rows.push_back({one, one->rowBegin[row], one->rowBegin[row + 1]});
        }
    }

    /// Invalid where there is none.
    SliceId innermostAt(Ns time)
    {
        SliceId found;
        uint32_t depth = 0;
        for (Row &row : m_rows) {
            while (row.at < row.end && row.segment->end(row.at) <= time)
                ++row.at;
            if (row.at == row.end || row.segment->slices.start[row.at] > time)
                continue;
            if (const uint32_t own = row.segment->nesting.depth[row.at]; !found.valid() || own >= depth) {
                found = SliceId(row.segment->firstSlice + row.at);
                depth = own;
            }
        }
        return found;
    }

private:
    struct Row {
        const Segment *segment;
        uint32_t at, end;
    };
    std::vector<Row> m_rows;
};

} // namespace riffle
