// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/find_slice.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

/// The quality of a candidate; smaller is better.
struct Rank {
    int quality =
        3; ///< 0 if it starts at the wanted time, 1 inside the preferred range, 2 elsewhere, 3 if there is none
    Ns start = 0;
    SliceRef slice;
    auto operator<=>(const Rank &) const = default;
};

std::optional<uint32_t> nameId(const Trace &trace, std::string_view name)
{
    for (uint32_t id = 0; id < trace.strings.count(); ++id) {
        if (trace.string(id) == name)
            return id;
    }
    return std::nullopt;
}

} // namespace

SliceRef findSlice(const TraceSet &traces, std::string_view name, std::optional<Ns> start, TimeSpan prefer)
{
    Rank best;
    for (const LoadedTrace &member : traces.loaded()) {
        const Trace &trace = *member.trace;
        const std::optional<uint32_t> id = nameId(trace, name);
        if (!id)
            continue;
        std::vector<Rank> bests(trace.segments.size());
        parallelFor(trace.segments.size(), [&](size_t at) {
            const Segment &segment = *trace.segments[at];
            for (uint32_t row = 0; row < segment.size(); ++row) {
                if (segment.slices.name[row] != *id)
                    continue;
                const Ns begin = member.time.toSet(segment.slices.start[row]);
                const int quality = start && begin == *start ? 0 : prefer.contains(begin) ? 1 : 2;
                bests[at] = std::min(bests[at], Rank{quality, begin, {member.id, segment.idAt(row)}});
            }
        });
        for (const Rank &rank : bests)
            best = std::min(best, rank);
    }
    return best.slice;
}

} // namespace riffle
