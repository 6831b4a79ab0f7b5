// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about how the host supplies the devices with work.

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/findings/rules.h"
#include "model/base/format.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr Ns kSmallGap = 1'000'000;   ///< longer gaps have other causes than slow launches
constexpr Ns kClocks = 5'000;         ///< a wait may seem to end this much before the device's work does
constexpr uint64_t kFewestTiny = 100; ///< the fewest tiny kernels that matter

/// The gaps of a device that satisfy a condition, the longest first, and their total time.
struct ChosenGaps {
    std::vector<const IdleGap *> gaps;
    Ns sum = 0;

    template <typename Counts>
    ChosenGaps(const DeviceFigures &figures, Counts counts)
    {
        for (const IdleGap &gap : figures.idle.gaps)
            if (counts(gap)) {
                gaps.push_back(&gap);
                sum += gap.span.duration();
            }
        std::stable_sort(gaps.begin(), gaps.end(),
                         [](const IdleGap *a, const IdleGap *b) { return a->span.duration() > b->span.duration(); });
    }
};

} // namespace

const char *findLaunchBound(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    for (const DeviceFigures &figures : input.overview.devices) {
        const ChosenGaps chosen(figures, [](const IdleGap &gap) {
            const bool isLaunching = gap.cause == IdleCause::Runtime || gap.cause == IdleCause::HostCode ||
                                     gap.cause == IdleCause::NothingRecorded;
            return isLaunching && gap.span.duration() < kSmallGap;
        });
        Finding finding;
        finding.measured = figures.share(chosen.sum);
        if (chosen.gaps.empty() || !rule.holds(finding.measured))
            continue;
        finding.text = formatCounted(static_cast<int64_t>(chosen.gaps.size()), "gap", "gaps") + " of " +
                       formatDuration(chosen.sum / static_cast<Ns>(chosen.gaps.size())) + " on average take " +
                       formatDuration(chosen.sum) + " of " + formatDuration(figures.window) +
                       ": the device finished before the host had launched its next work.";
        finding.span = chosen.gaps.front()->span;
        for (const IdleGap *gap : chosen.gaps)
            finding.evidence.push_back(input.ref(work.slice[gap->next]));
        finding.device = figures.device;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

const char *findIdleAfterSynchronisation(const FindingInput &input, const FindingRule &rule,
                                         std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    SliceReader launch(input.trace);
    for (const DeviceFigures &figures : input.overview.devices) {
        const ChosenGaps chosen(figures, [&](const IdleGap &gap) {
            if (!isHostsDoing(gap.cause) || gap.next == DeviceWork::kNone || !launch.seek(work.launch[gap.next]))
                return false;
            const IntervalSet &waiting = input.facts.roles().lanes[launch.lane().value].waiting;
            return waiting.lengthWithin({gap.span.begin - kClocks, gap.span.begin + 1}) > 0;
        });
        Finding finding;
        finding.measured = figures.share(chosen.sum);
        if (chosen.gaps.empty() || !rule.holds(finding.measured))
            continue;
        finding.span = chosen.gaps.front()->span;
        finding.text =
            formatCounted(static_cast<int64_t>(chosen.gaps.size()), "time", "times") +
            ", the host waited until the device was done before it launched more work; this left the device idle for " +
            formatDuration(chosen.sum) + " of " + formatDuration(figures.window) + ".";
        for (const IdleGap *gap : chosen.gaps) {
            launch.seek(work.launch[gap->next]);
            for (const Ns time : {gap->span.begin, gap->span.begin - kClocks})
                if (const SliceRef wait =
                        input.sliceAt(launch.lane(), time, [](SliceClass kind) { return kind == SliceClass::Waiting; });
                    wait.valid()) {
                    finding.evidence.push_back(wait);
                    break;
                }
        }
        if (!finding.evidence.empty()) {
            const auto slice = input.trace.slice(finding.evidence.front().slice);
            finding.text += " The longest gap follows " + std::string(input.trace.string(slice->data.name)) + ".";
        }
        finding.device = figures.device;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

const char *findTinyKernels(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const LaunchStatistics &launches = input.overview.launches;
    Finding finding;
    finding.measured =
        launches.launches ? static_cast<double>(launches.shortKernels) / static_cast<double>(launches.launches) : 0;
    if (!rule.holds(finding.measured) || launches.shortKernels < kFewestTiny)
        return nullptr;
    finding.text = countText(launches.shortKernels) + " of " + countText(launches.launches) +
                   " launches took longer on the host than the kernel took on the device.";
    const DeviceWork &work = input.facts.work();
    SliceReader launch(input.trace);
    for (uint32_t at = 0; at < work.size(); ++at)
        if (isKernel(work.role[at]) && input.scope.launches(at) && work.launch[at] != DeviceWork::kNone &&
            launch.seek(work.launch[at]) && work.duration(at) < launch.duration() &&
            input.trace.launchedBy(SliceId(work.launch[at])).size() == 1)
            finding.evidence.push_back(input.ref(work.slice[at]));
    found.push_back(std::move(finding));
    return nullptr;
}

} // namespace riffle
