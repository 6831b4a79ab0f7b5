// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/highlight_hits.h"

#include "model/base/parallel.h"

namespace riffle {

PerTrace<BigVector<uint32_t>> slicesOfNames(const TraceSet &set, const PerTrace<std::vector<uint32_t>> &names,
                                            Task task)
{
    PerTrace<BigVector<uint32_t>> hits;
    for (const LoadedTrace &member : set.loaded()) {
        if (names[member.id].empty())
            continue;
        const Trace &trace = *member.trace;
        std::vector<uint8_t> wanted(trace.strings.count(), 0);
        for (const uint32_t name : names[member.id])
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
            hits[member.id].insert(hits[member.id].end(), part.begin(), part.end());
    }
    return hits;
}

} // namespace riffle
