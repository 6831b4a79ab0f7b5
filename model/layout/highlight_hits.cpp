// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/highlight_hits.h"

#include "model/base/parallel.h"

namespace riffle {

std::vector<BigVector<uint32_t>> slicesOfNames(const TraceSet &set, const std::vector<std::vector<uint32_t>> &names,
                                               Task task)
{
    std::vector<BigVector<uint32_t>> hits(set.members.size());
    for (size_t t = 0; t < set.members.size() && t < names.size(); ++t) {
        const Trace &trace = *set.members[t].trace;
        std::vector<uint8_t> wanted(trace.strings.count(), 0);
        for (const uint32_t name : names[t])
            if (name < wanted.size())
                wanted[name] = 1;
        std::vector<BigVector<uint32_t>> parts(trace.segments.size());
        parallelFor(parts.size(), [&](size_t index) {
            if (task.stopped())
                return;
            const Segment &segment = *trace.segments[index];
            const auto ids = segment.slices.name.span();
            for (uint32_t row = 0; row < ids.size(); ++row)
                if (ids[row] < wanted.size() && wanted[ids[row]])
                    parts[index].push_back(segment.firstSlice + row);
        });
        for (const auto &part : parts)
            hits[t].insert(hits[t].end(), part.begin(), part.end());
    }
    return hits;
}

} // namespace riffle
