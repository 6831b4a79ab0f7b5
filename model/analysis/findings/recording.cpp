// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about the recording itself: missing events and its overhead.

#include "model/analysis/findings/rules.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

#include <algorithm>

namespace riffle {

namespace {

double shareOf(uint64_t part, uint64_t whole)
{
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

} // namespace

const char *findLostRecords(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    Finding finding;
    uint64_t lost = 0;
    for (size_t kind = 0; kind < static_cast<size_t>(Trouble::Count); ++kind) {
        const auto trouble = static_cast<Trouble>(kind);
        const uint64_t times =
            ImportReport::severity(trouble) == Severity::Lost ? input.trace.report.of(trouble).count : 0;
        if (!times)
            continue;
        lost += times;
        finding.text += (finding.text.empty() ? "" : "; ") + countText(times) + " × " + ImportReport::sentence(trouble);
    }
    for (const auto &[key, json] : input.trace.info.metadata)
        if (key == "INFO" && json.find("CUPTI stopped early? = 1") != std::string::npos) {
            ++lost;
            finding.text +=
                std::string(finding.text.empty() ? "" : "; ") + "the profiler reports that CUPTI stopped early";
        }
    finding.measured = static_cast<double>(lost);
    if (!rule.holds(finding.measured))
        return nullptr;
    finding.text += ".";
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findMissingKernels(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const LaunchStatistics &launches = input.overview.launches;
    const uint64_t all = launches.launches + launches.graphLaunches + launches.withoutWork;
    Finding finding;
    finding.measured = shareOf(launches.withoutWork, all);
    if (!rule.holds(finding.measured))
        return nullptr;
    finding.text = countText(launches.withoutWork) + " of " + countText(all) + " launches have no kernel in the trace.";
    for (const uint32_t call : launchesWithoutWork(input.scope))
        finding.evidence.push_back(input.ref(call));
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findMissingLaunches(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    uint64_t all = 0;
    Finding finding;
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        if (!input.scope.launches(at))
            continue;
        ++all;
        if (work.launch[at] == DeviceWork::kNone)
            finding.evidence.push_back(input.ref(work.slice[at]));
    }
    finding.measured = shareOf(finding.evidence.size(), all);
    if (!rule.holds(finding.measured))
        return nullptr;
    finding.text = countText(finding.evidence.size()) + " of " + countText(all) +
                   " kernels, copies and memsets have no launch in the trace.";
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findClocksApart(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const LaunchStatistics &launches = input.overview.launches;
    Finding finding;
    finding.measured = shareOf(launches.beforeLaunch, launches.launches);
    if (!rule.holds(finding.measured))
        return nullptr;
    finding.text = countText(launches.beforeLaunch) + " of " + countText(launches.launches) +
                   " launches seem to start after their device work; the smallest delay is " +
                   formatDuration(launches.minimumDelay) + ".";
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findProfilerOverhead(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    uint32_t category = 0;
    while (category < input.trace.strings.count() && input.trace.string(category) != "overhead")
        ++category;
    if (category == input.trace.strings.count())
        return nullptr;
    BigVector<TimeSpan> spans;
    std::vector<std::pair<Ns, uint32_t>> slices;
    for (const auto &segment : input.trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            // Kineto records the loading of kernels as overhead, but that is the program's work, not the profiler's.
            if (segment->slices.category[at] != category ||
                input.trace.string(segment->slices.name[at]).starts_with("Lazy Function"))
                continue;
            const TimeSpan span{segment->slices.start[at], segment->end(at)};
            if (input.scope.window().lengthWithin(span) == 0)
                continue;
            spans.push_back(span);
            slices.emplace_back(-span.duration(), segment->idAt(at).value);
        }
    const Ns taken = (IntervalSet::unionOf(std::move(spans)) & input.scope.window()).length();
    const Ns window = input.scope.window().length();
    Finding finding;
    finding.measured = window > 0 ? static_cast<double>(taken) / static_cast<double>(window) : 0;
    if (!rule.holds(finding.measured))
        return nullptr;
    std::sort(slices.begin(), slices.end());
    for (const auto &[length, slice] : slices)
        finding.evidence.push_back(input.ref(slice));
    finding.text = "The profiler's own work took " + formatDuration(taken) + " of " + formatDuration(window) + ", " +
                   formatDuration(-slices.front().first) + " of it in “" +
                   std::string(input.trace.string(input.trace.slice(SliceId(slices.front().second))->data.name)) + "”.";
    found.push_back(std::move(finding));
    return nullptr;
}

} // namespace riffle
