// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path_bands.h"

#include "model/analysis/critical_path/critical_path.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/summary.h"
#include "model/base/big_vector.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <unordered_map>

namespace riffle {

namespace {

std::vector<CriticalPath> pathsOf(const Scope &scope)
{
    std::vector<CriticalPath> paths;
    if (scope.range() || !scope.choosesSteps()) {
        const TimeSpan window = scope.range() ? *scope.range() : scope.facts().trace().span;
        paths.push_back(criticalPathOf(scope, window.clipped(scope.facts().trace().span)));
        return paths;
    }
    for (uint32_t step = 0; step < scope.steps().steps.size(); ++step)
        if (scope.hasStep(step))
            paths.push_back(criticalPathOfStep(scope, step));
    return paths;
}

/// Numbers the names of bands: one name for each combination of a kind and a slice's name.
class Names {
public:
    Names(const Trace &trace, BandTrack &track) : m_trace(trace), m_reader(trace), m_track(track) {}

    uint32_t of(const PathSegment &segment)
    {
        const bool known = segment.slice.valid() && m_reader.seek(segment.slice.slice.value);
        const uint32_t name = known ? m_reader.name() : kNoName;
        const auto [number, isNew] = m_numbers.try_emplace(uint64_t{name} << 8 | static_cast<uint64_t>(segment.kind),
                                                           static_cast<uint32_t>(m_track.names.size()));
        if (isNew) {
            const PathKindText &kind = textOf(segment.kind);
            m_track.kinds.emplace_back(kind.key);
            m_track.names.push_back(known ? std::string(kind.title) + " · " + std::string(m_trace.string(name))
                                          : kind.title);
        }
        return number->second;
    }

private:
    static constexpr uint32_t kNoName = UINT32_MAX;
    const Trace &m_trace;
    SliceReader m_reader;
    BandTrack &m_track;
    std::unordered_map<uint64_t, uint32_t> m_numbers; ///< by name and kind
};

SetBands bandsOf(const SetFacts &facts, const SummaryRequest &request)
{
    SetBands tracks;
    for (const TraceId trace : facts.set().loadedOf(request.traces)) {
        const TraceFacts &of = facts.of(trace);
        of.roles(); // computed in parallel, before they are needed
        BandTrack track;
        track.key = kCriticalPathKey;
        track.title = "critical path";
        Names names(of.trace(), track);
        BigVector<Band> bands;
        const std::vector<CriticalPath> paths = pathsOf(Scope(of, scopeOf(request, facts.set(), trace), trace));
        size_t count = 0;
        for (const CriticalPath &path : paths)
            count += path.segments.size();
        bands.reserve(count);
        for (const CriticalPath &path : paths)
            for (const PathSegment &segment : path.segments)
                bands.push_back({segment.span, names.of(segment), segment.slice.slice});
        if (!bands.empty())
            tracks[trace].push_back(bandTrack(std::move(track), std::move(bands)));
    }
    return tracks;
}

} // namespace

SetBands criticalPathBands(const SetFacts &facts, const SummaryRequest &request, const std::stop_token &stop)
{
    return untilStopped(stop, [&] { return bandsOf(facts, request); }).value_or(SetBands());
}

} // namespace riffle
