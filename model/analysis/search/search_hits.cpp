// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/search.h"

#include <algorithm>

namespace riffle {

std::optional<SearchHits::Key> SearchHits::keyOf(SliceRef ref) const
{
    const Trace *trace = m_traces.trace(ref.trace);
    const Segment *segment = trace ? trace->segmentOf(ref.slice) : nullptr;
    if (!segment)
        return std::nullopt;
    return keyOf(ref.trace, *segment, segment->indexOf(ref.slice));
}

SearchHits::Key SearchHits::keyOf(TraceId trace, const Segment &segment, uint32_t at) const
{
    return {m_traces.time(trace).toSet(segment.slices.start[at]), trace, segment.firstSlice, at,
            segment.idAt(at).value};
}

SearchHits::Key SearchHits::key(const Run &run, size_t at) const
{
    return keyOf(run.trace, *run.segment, run.rows[at]);
}

size_t SearchHits::countBelow(const Run &run, const Key &limit) const
{
    size_t low = 0;
    size_t high = run.rows.size();
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (key(run, middle) < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SliceRef SearchHits::first() const
{
    std::optional<Key> best;
    for (const Run &run : m_runs)
        best = best ? std::min(*best, key(run, 0)) : key(run, 0);
    return best ? SliceRef{best->trace, SliceId(best->slice)} : SliceRef{};
}

SliceRef SearchHits::last() const
{
    std::optional<Key> best;
    for (const Run &run : m_runs) {
        const Key candidate = key(run, run.rows.size() - 1);
        best = best ? std::max(*best, candidate) : candidate;
    }
    return best ? SliceRef{best->trace, SliceId(best->slice)} : SliceRef{};
}

SliceRef SearchHits::next(SliceRef from) const
{
    const std::optional<Key> limit = keyOf(from);
    if (!limit)
        return first();
    std::optional<Key> best;
    for (const Run &run : m_runs) {
        size_t at = countBelow(run, *limit);
        if (at < run.rows.size() && key(run, at) == *limit)
            ++at;
        if (at < run.rows.size() && (!best || key(run, at) < *best))
            best = key(run, at);
    }
    return best ? SliceRef{best->trace, SliceId(best->slice)} : first();
}

SliceRef SearchHits::previous(SliceRef from) const
{
    const std::optional<Key> limit = keyOf(from);
    if (!limit)
        return last();
    std::optional<Key> best;
    for (const Run &run : m_runs) {
        const size_t at = countBelow(run, *limit);
        if (at > 0 && (!best || key(run, at - 1) > *best))
            best = key(run, at - 1);
    }
    return best ? SliceRef{best->trace, SliceId(best->slice)} : last();
}

SliceRef SearchHits::atOrAfter(Ns time) const
{
    const Key limit{time, TraceId(0), 0, 0, 0};
    std::optional<Key> best;
    for (const Run &run : m_runs) {
        const size_t at = countBelow(run, limit);
        if (at < run.rows.size() && (!best || key(run, at) < *best))
            best = key(run, at);
    }
    return best ? SliceRef{best->trace, SliceId(best->slice)} : first();
}

uint64_t SearchHits::rank(SliceRef slice) const
{
    const std::optional<Key> limit = keyOf(slice);
    uint64_t before = 0;
    for (const Run &run : m_runs)
        before += limit ? countBelow(run, *limit) : 0;
    return before;
}

bool SearchHits::contains(SliceRef slice) const
{
    const std::optional<Key> wanted = keyOf(slice);
    if (!wanted)
        return false;
    return std::any_of(m_runs.begin(), m_runs.end(), [&](const Run &run) {
        const size_t at = countBelow(run, *wanted);
        return at < run.rows.size() && key(run, at) == *wanted;
    });
}

std::vector<bool> SearchHits::spread(TimeSpan span, size_t parts) const
{
    std::vector<bool> spread(parts);
    const double scale = static_cast<double>(parts) / static_cast<double>(std::max<Ns>(1, span.duration()));
    for (const Run &run : m_runs)
        for (size_t at = 0; at < run.rows.size(); ++at)
            if (const Ns start = key(run, at).start; span.contains(start))
                spread[std::min(parts - 1, static_cast<size_t>(static_cast<double>(start - span.begin) * scale))] =
                    true;
    return spread;
}

} // namespace riffle
