// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Which parts of which traces a request is about.

#include "model/analysis/summary/summary.h"

#include <algorithm>

namespace riffle {

std::vector<SummaryPart> partsOf(const SummaryRequest &request, const TraceSet &set)
{
    std::vector<SummaryPart> parts = request.parts;
    if (parts.empty())
        for (const TraceId trace : set.loadedOf(request.traces))
            parts.push_back({set.title(trace), trace, request.scope.range, request.scope.steps});
    std::erase_if(parts, [&](const SummaryPart &part) { return !set.trace(part.trace); });
    return parts;
}

ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, TraceId trace)
{
    const Trace &own = *set.trace(trace);
    ScopeRequest scope = request.scope;
    scope.ranksInView = static_cast<uint32_t>(set.size());
    if (scope.range)
        scope.range = set.time(trace).toTrace(*scope.range);
    if (!request.lanes.empty()) {
        scope.lanes.assign(own.lanes.size(), 0);
        for (const LaneRef &lane : request.lanes)
            if (lane.trace == trace && lane.lane.value < scope.lanes.size())
                scope.lanes[lane.lane.value] = 1;
        if (std::find(scope.lanes.begin(), scope.lanes.end(), 1) == scope.lanes.end())
            scope.range = TimeSpan{}; // all requested lanes are in other traces: nothing of this trace counts
    }
    if (request.names) {
        scope.names.resize(own.strings.count());
        for (uint32_t name = 0; name < scope.names.size(); ++name)
            scope.names[name] = request.names(own.string(name));
    }
    return scope;
}

ScopeRequest scopeOf(const SummaryRequest &request, const TraceSet &set, const SummaryPart &part)
{
    SummaryRequest own = request;
    own.scope.range = part.range;
    own.scope.steps = part.steps;
    if (!request.parts.empty())
        own.scope.stepNumbers.clear();
    return scopeOf(own, set, part.trace);
}

uint32_t narrowedBy(const SummaryRequest &request, const TraceSet &set)
{
    const ScopeRequest &scope = request.scope;
    const TimeSpan whole = set.span();
    uint32_t limits = 0;
    if (scope.range && (scope.range->begin > whole.begin || scope.range->end < whole.end))
        limits |= narrowed_by::Range;
    if (scope.steps || !scope.stepNumbers.empty() || scope.withoutFirstStep)
        limits |= narrowed_by::Steps;
    for (const SummaryPart &part : request.parts)
        limits |= (part.range ? narrowed_by::Range : 0) | (part.steps ? narrowed_by::Steps : 0);
    if (!request.lanes.empty())
        limits |= narrowed_by::Lanes;
    if (request.parts.empty() && !request.traces.empty() && request.traces.size() < set.size())
        limits |= narrowed_by::Ranks;
    if (request.names)
        limits |= narrowed_by::Names;
    if (scope.classes)
        limits |= narrowed_by::Classes;
    return limits;
}

SummaryRequest widened(SummaryRequest request, uint32_t drops)
{
    for (SummaryPart &part : request.parts) {
        if (drops & narrowed_by::Range)
            part.range.reset();
        if (drops & narrowed_by::Steps)
            part.steps.reset();
    }
    if (drops & narrowed_by::Range)
        request.scope.range.reset();
    if (drops & narrowed_by::Steps) {
        request.scope.steps.reset();
        request.scope.stepNumbers.clear();
        request.scope.withoutFirstStep = false;
    }
    if (drops & narrowed_by::Lanes)
        request.lanes.clear();
    if (drops & narrowed_by::Ranks)
        request.traces.clear();
    if (drops & narrowed_by::Names)
        request.names = nullptr;
    if (drops & narrowed_by::Classes)
        request.scope.classes = 0;
    return request;
}

} // namespace riffle
