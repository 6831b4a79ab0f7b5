// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"

#include "model/analysis/facts/scope.h"
#include "model/analysis/facts/unjudged_devices.h"
#include "model/analysis/summary/summary.h"
#include "model/base/format.h"

#include <algorithm>

namespace riffle {

namespace {

std::string fileName(const TraceInfo &info)
{
    std::string path = info.path;
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    path.erase(0, path.rfind('/') + 1);
    return path.empty() ? "the file" : path;
}

} // namespace

EmptyFacts emptyFactsOf(const TraceFacts &facts, EmptySubject subject)
{
    const TraceInfo &info = facts.trace().info;
    EmptyFacts known;
    known.file = fileName(info);
    known.hasEvents = hasEvents(facts.trace());
    known.needsTraining = false;
    known.part = info.part || info.partSteps;
    known.canReadMore = !info.trimmedFile;
    known.newest = facts.isPart();
    known.recorder = recorderOf(info);
    known.subject = subject;
    return known;
}

EmptyFacts emptyFactsOf(const SetFacts &facts, std::span<const TraceId> traces)
{
    const std::vector<TraceId> asked = facts.set().loadedOf(traces);
    EmptyFacts all;
    if (!asked.empty())
        all = emptyFactsOf(facts.of(asked.front()));
    all.open = !asked.empty();
    all.needsTraining = false;
    for (const TraceId trace : asked) {
        const EmptyFacts one = emptyFactsOf(facts.of(trace));
        all.hasEvents = all.hasEvents || one.hasEvents;
        all.part = all.part || one.part;
        all.newest = all.newest || one.newest;
    }
    if (asked.size() > 1)
        all.file = "the " + formatCount(static_cast<int64_t>(asked.size())) + " files";
    return all;
}

EmptyFacts trainingFactsOf(const SetFacts &facts, std::span<const TraceId> traces)
{
    EmptyFacts known = emptyFactsOf(facts, traces);
    const std::vector<TraceId> asked = facts.set().loadedOf(traces);
    known.needsTraining = true;
    known.ofTraining = std::ranges::any_of(asked, [&](TraceId trace) { return isOfTraining(facts.of(trace)); });
    return known;
}

EmptyFacts trainingFactsOf(const TraceFacts &facts)
{
    EmptyFacts known = emptyFactsOf(facts);
    known.needsTraining = true;
    known.ofTraining = isOfTraining(facts);
    return known;
}

bool hasDeviceWork(const TraceFacts &facts)
{
    const TraceInfo &info = facts.trace().info;
    const DeviceWork &work = facts.work();
    if (work.empty() || !(info.part || info.partSteps))
        return !work.empty();
    const Scope part(facts, {});
    for (size_t at = 0; at < work.size(); ++at)
        if (part.begins(at) || part.deviceTime(at) > 0)
            return true;
    return false;
}

EmptyState notRecorded(const TraceFacts &facts, EmptySubject subject)
{
    if (subject == EmptySubject::DeviceWork && hasUnjudgedDevices(facts.trace()))
        return noneOccurred(facts, unjudgedDevicesText());
    return emptyState(emptyFactsOf(facts, subject));
}

EmptyState noneOccurred(const TraceFacts &facts, std::string sentence)
{
    EmptyFacts known = emptyFactsOf(facts);
    known.noneOccurred = std::move(sentence);
    return emptyState(known);
}

} // namespace riffle
