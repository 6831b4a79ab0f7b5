// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about how steps spend their time.

#include "model/analysis/facts/unjudged_devices.h"
#include "model/analysis/findings/rules.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <span>

namespace riffle {

namespace {

constexpr size_t kFewestSteps = 4;          ///< the fewest steps for a median that a single one does not determine
constexpr double kCopiesWorthNaming = 0.01; ///< the least share of the window that copies must take for a finding

double shareOf(Ns part, Ns whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

bool isLoading(SliceClass kind) { return kind == SliceClass::Dataloader; }

bool copiesToDevice(std::string_view name)
{
    return name.find("HtoD") != name.npos || name.find("HostToDevice") != name.npos;
}

std::string ofSteps(const FindingInput &input)
{
    return input.overview.marked ? " of " + formatDuration(input.step()) + " per step on average"
                                 : " of " + formatDuration(input.step());
}

/// The whole chosen steps that ended, without a first one that stands out, the longest first.
std::vector<uint32_t> stepsByLength(const Scope &scope)
{
    const StepSet &set = scope.steps();
    std::vector<uint32_t> steps;
    for (uint32_t at = set.firstIsOutlier() ? 1 : 0; at < set.steps.size(); ++at)
        if (set.steps[at].ended && scope.hasStep(at) && !scope.cutsStep(at))
            steps.push_back(at);
    std::stable_sort(steps.begin(), steps.end(), [&](uint32_t a, uint32_t b) {
        return set.steps[a].host.duration() > set.steps[b].host.duration();
    });
    return steps;
}

/// A sentence that names the part of the step that exceeds its mean over the other steps the most.
std::string grownPart(const FindingInput &input, uint32_t step, std::span<const uint32_t> others)
{
    const auto partsOf = [&](uint32_t at) { return breakdownOf(input.facts, input.scope.stepSpan(at)); };
    Breakdown sums{};
    for (const uint32_t other : others) {
        const Breakdown parts = partsOf(other);
        for (size_t role = 0; role < kRoles; ++role)
            sums[role] += parts[role];
    }
    const Breakdown own = partsOf(step);
    size_t grown = 0;
    Ns most = INT64_MIN;
    for (size_t role = 0; role < kRoles; ++role) {
        const Ns more = own[role] - roundedQuotient(sums[role], static_cast<int64_t>(others.size()));
        if (more > most) {
            most = more;
            grown = role;
        }
    }
    return std::string(" Most of the difference is “") + kRoleTexts[grown].title + "”: " + formatDuration(own[grown]) +
           " instead of " + formatDuration(own[grown] - most) + ".";
}

} // namespace

const char *findDataloaderShare(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    Finding finding;
    const Ns waiting = input.meanOf(Role::Dataloader);
    finding.measured = shareOf(waiting, input.step());
    if (!rule.holds(finding.measured))
        return nullptr;
    const auto [lane, longest] = input.longestLoading();
    finding.text =
        "Waiting for the next batch takes " + formatDuration(waiting) + ofSteps(input) + ", while the device is idle.";
    if (!longest.empty()) {
        finding.text += " The longest wait is " + formatDuration(longest.duration()) + ".";
        finding.span = longest;
        if (const SliceRef slice = input.sliceAt(lane, longest.begin, isLoading); slice.valid())
            finding.evidence.push_back(slice);
    }
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findInputNotOverlapped(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    const IntervalSet &window = input.scope.window();
    IntervalSet loading;
    for (const RoleTimes::Lane &lane : input.facts.roles().lanes)
        loading = loading | lane.dataloader;
    for (size_t at = 0; at < work.devices.size(); ++at) {
        BigVector<uint32_t> copies;
        BigVector<TimeSpan> spans;
        for (uint32_t one = work.devices[at].first; one < work.devices[at].last; ++one)
            if (work.role[one] == Role::Memcpy && window.lengthWithin(work.span(one)) > 0 &&
                copiesToDevice(input.trace.string(work.name[one]))) {
                copies.push_back(one);
                spans.push_back(work.span(one));
            }
        const IntervalSet &kernels = input.facts.devices()[at].kernels;
        const IntervalSet copying = (IntervalSet::unionOf(std::move(spans)) & window) - kernels;
        const IntervalSet both = ((loading & window) - kernels) | copying;
        Finding finding;
        finding.measured = shareOf(both.length(), window.length());
        if (!rule.holds(finding.measured) || shareOf(copying.length(), window.length()) < kCopiesWorthNaming)
            continue;
        const Ns loadingOnly = (both - copying).length();
        const auto pageable = std::count_if(copies.begin(), copies.end(), [&](uint32_t one) {
            return input.trace.string(work.name[one]).find("Pageable") != std::string_view::npos;
        });
        finding.text = "Copies from the host take " + formatDuration(copying.length()) + " of " +
                       formatDuration(window.length()) + " while no kernel runs";
        finding.text += loadingOnly > 0 ? ", and loading data takes another " + formatDuration(loadingOnly) + "." : ".";
        if (pageable)
            finding.text += std::string(" ") + formatCount(pageable) + " of " +
                            formatCount(static_cast<int64_t>(copies.size())) + " copies are from unpinned memory.";
        std::stable_sort(copies.begin(), copies.end(),
                         [&](uint32_t a, uint32_t b) { return work.duration(a) > work.duration(b); });
        for (const uint32_t copy : copies)
            finding.evidence.push_back(input.ref(work.slice[copy]));
        finding.device = work.devices[at].number;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

const char *findCommunicationShare(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    for (size_t at = 0; at < work.devices.size(); ++at) {
        const DeviceFigures &figures = input.overview.devices[at];
        Finding finding;
        finding.measured = figures.share(figures.exposedCommunication);
        if (!rule.holds(finding.measured))
            continue;
        finding.text = "Communication that is not hidden by compute kernels takes " +
                       formatDuration(figures.exposedCommunication) + " of " + formatDuration(figures.window) + ".";
        std::vector<uint32_t> kernels;
        for (uint32_t one = work.devices[at].first; one < work.devices[at].last; ++one)
            if (work.role[one] == Role::Communication && input.scope.window().lengthWithin(work.span(one)) > 0)
                kernels.push_back(one);
        std::stable_sort(kernels.begin(), kernels.end(),
                         [&](uint32_t a, uint32_t b) { return work.duration(a) > work.duration(b); });
        for (const uint32_t kernel : kernels)
            finding.evidence.push_back(input.ref(work.slice[kernel]));
        finding.device = figures.device;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

const char *findLowUtilization(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    for (const DeviceFigures &figures : input.overview.devices) {
        Finding finding;
        finding.measured = figures.share(figures.kernelTime);
        if (!rule.holds(finding.measured) || figures.window == 0)
            continue;
        const auto &sums = figures.idle.sums;
        const auto cause = static_cast<size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
        finding.text =
            "Kernels run for " + formatDuration(figures.kernelTime) + " of " + formatDuration(figures.window) + ".";
        if (sums[cause] > 0)
            finding.text += " The cause of most of the idle time (" + formatDuration(sums[cause]) + ") is “" +
                            textOf(static_cast<IdleCause>(cause)).title + "”.";
        const auto &gaps = figures.idle.gaps;
        const auto longest = std::max_element(gaps.begin(), gaps.end(), [](const IdleGap &a, const IdleGap &b) {
            return a.span.duration() < b.span.duration();
        });
        if (longest != gaps.end()) {
            finding.span = longest->span;
            finding.text += " The longest gap is " + formatDuration(longest->span.duration()) + ".";
            if (longest->next != DeviceWork::kNone)
                finding.evidence.push_back(input.ref(input.facts.work().slice[longest->next]));
        }
        finding.device = figures.device;
        found.push_back(std::move(finding));
    }
    if (!input.overview.devices.empty())
        return nullptr;
    return hasUnjudgedDevices(input.trace) ? "The device work of Ascend's profiler is not judged."
                                           : "No device work was recorded.";
}

const char *findLongFirstStep(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const std::vector<StepSet::Step> &steps = input.scope.steps().steps;
    if (!input.scope.steps().marked)
        return "No steps are marked.";
    if (!input.scope.hasStep(0) || !input.scope.steps().firstIsOutlier())
        return nullptr;
    std::vector<Ns> others;
    for (size_t at = 1; at < steps.size(); ++at)
        if (steps[at].ended)
            others.push_back(steps[at].host.duration());
    std::sort(others.begin(), others.end());
    const Ns median = medianOfSorted(others);
    Finding finding;
    finding.measured = shareOf(steps.front().host.duration(), median);
    if (!rule.holds(finding.measured))
        return nullptr;
    finding.text = "The first step takes " + formatDuration(steps.front().host.duration()) +
                   "; the median of the others is " + formatDuration(median) + ".";
    finding.evidence.push_back({input.scope.trace(), steps.front().slice});
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findLongSteps(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const std::vector<uint32_t> steps = stepsByLength(input.scope);
    if (steps.size() < kFewestSteps)
        return nullptr;
    const auto lengthOf = [&](uint32_t step) { return input.scope.steps().steps[step].host.duration(); };
    std::vector<Ns> lengths;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        lengths.push_back(lengthOf(*step));
    const Ns median = medianOfSorted(lengths);
    const auto isNormal = [&](uint32_t step) { return !rule.holds(shareOf(lengthOf(step), median)); };
    const auto normal = std::find_if(steps.begin(), steps.end(), isNormal);
    const auto longOnes = static_cast<size_t>(normal - steps.begin());
    if (longOnes == 0)
        return nullptr;
    Finding finding;
    finding.measured = shareOf(lengthOf(steps.front()), median);
    finding.text = input.scope.steps().steps[steps.front()].name + " takes " + formatDuration(lengthOf(steps.front())) +
                   "; the median of " + countText(steps.size()) + " steps is " + formatDuration(median) + "." +
                   grownPart(input, steps.front(), {normal, steps.end()});
    if (longOnes > 1)
        finding.text += " " + countText(longOnes) + " steps take more than " +
                        formatMeasured(rule.threshold, rule.unit) + " the median.";
    for (auto step = steps.begin(); step != normal; ++step)
        finding.evidence.push_back(input.ref(input.scope.steps().steps[*step].slice.value));
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findAsynchronousSteps(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    const StepSet &steps = input.scope.steps();
    std::vector<uint32_t> whole;
    for (uint32_t at = 0; at < steps.steps.size(); ++at)
        if (input.scope.hasStep(at) && !input.scope.cutsStep(at))
            whole.push_back(at);
    if (!steps.marked || steps.onDevice || whole.empty())
        return nullptr;
    const Ns window = steps.steps[whole.back()].host.end - steps.steps[whole.front()].host.begin;
    for (const DeviceWork::Device &device : work.devices) {
        BigVector<TimeSpan> spans;
        for (uint32_t at = device.first; at < device.last; ++at)
            if (std::binary_search(whole.begin(), whole.end(), steps.ofWork[at]))
                spans.push_back(work.span(at));
        const Ns busy = IntervalSet::unionOf(std::move(spans)).length();
        Finding finding;
        finding.measured = shareOf(busy, window);
        if (!rule.holds(finding.measured))
            continue;
        const auto count = static_cast<int64_t>(whole.size());
        finding.text = "The marks of " + formatCounted(count, "step", "steps") + " span " + formatDuration(window) +
                       ", but the work that they launch keeps the device busy for " + formatDuration(busy) + ", " +
                       formatDuration(roundedQuotient(busy, count)) +
                       " per step. The host only launches and does not wait, so lengths of steps, shares of their time "
                       "and figures of the window are about launching.";
        finding.device = device.number;
        finding.evidence.push_back(input.ref(steps.steps[whole.front()].slice.value));
        found.push_back(std::move(finding));
    }
    return nullptr;
}

} // namespace riffle
