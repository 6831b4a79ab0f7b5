// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/verdict.h"

#include "model/analysis/facts/unjudged_devices.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/figures.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace riffle {

namespace {

constexpr size_t kNamedFindings = 3; ///< findings that get a line; the others are counted

/// One trace that counts, and its steps that ended, without a first one that stands out.
struct Member {
    std::string title;
    Scope scope;   ///< the whole trace, for the findings
    Scope counted; ///< the same without a first step that stands out, for the figures
    std::vector<Ns> lengths;
    const StepSet::Step *slowest = nullptr;
    Ns firstLeftOut = 0; ///< the length of the first step if it stands out
};

struct Members {
    std::vector<Member> all;
    bool marked = false;
    bool several() const { return all.size() > 1; }
};

double shareOfTime(Ns part, Ns whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

void addSteps(Member &member)
{
    const StepSet &set = member.scope.steps();
    for (uint32_t at = 0; at < set.steps.size(); ++at) {
        const StepSet::Step &step = set.steps[at];
        if (!step.ended || !member.scope.hasStep(at) || member.scope.cutsStep(at))
            continue;
        if (at == 0 && set.firstIsOutlier()) {
            member.firstLeftOut = step.host.duration();
            continue;
        }
        member.lengths.push_back(step.host.duration());
        if (!member.slowest || step.host.duration() > member.slowest->host.duration())
            member.slowest = &step;
    }
}

Members membersOf(const SetFacts &facts)
{
    Members members;
    const std::vector<TraceId> traces = facts.set().loadedOf({});
    for (const TraceId trace : traces)
        members.marked |= facts.of(trace).steps().marked;
    for (const TraceId trace : traces) {
        if (members.marked && !facts.of(trace).steps().marked)
            continue;
        ScopeRequest request = scopeOf({}, facts.set(), trace);
        Scope whole(facts.of(trace), request, trace);
        request.withoutFirstStep = true;
        members.all.push_back(
            {facts.set().title(trace), std::move(whole), Scope(facts.of(trace), request, trace), {}, nullptr, 0});
        addSteps(members.all.back());
    }
    return members;
}

/// "20 steps", "20 steps in each of 2 traces", "From 19 to 20 steps in 2 traces", counting first steps that stand out.
std::string stepCountText(const Members &members)
{
    size_t least = SIZE_MAX, most = 0;
    for (const Member &member : members.all) {
        const size_t steps = member.lengths.size() + (member.firstLeftOut > 0);
        least = std::min(least, steps);
        most = std::max(most, steps);
    }
    const auto steps = [](size_t count) { return formatCounted(static_cast<int64_t>(count), "step", "steps"); };
    const std::string traces = formatCounted(static_cast<int64_t>(members.all.size()), "trace", "traces");
    return !members.several() ? steps(most)
           : least == most    ? steps(most) + " in each of " + traces
                              : "From " + std::to_string(least) + " to " + steps(most) + " in " + traces;
}

std::string stepsText(const Members &members)
{
    if (!members.marked) {
        Ns longest = 0;
        for (const Member &member : members.all)
            longest = std::max(longest, member.scope.window().length());
        return "No steps were marked; the recording spans " + formatDuration(longest) + ".";
    }
    std::vector<Ns> lengths;
    const Member *slowest = nullptr;
    Ns first = 0;
    for (const Member &member : members.all) {
        lengths.insert(lengths.end(), member.lengths.begin(), member.lengths.end());
        first = std::max(first, member.firstLeftOut);
        if (member.slowest && (!slowest || member.slowest->host.duration() > slowest->slowest->host.duration()))
            slowest = &member;
    }
    if (!slowest)
        return "No step ended while it was recorded.";
    std::string text = stepCountText(members) + ": the median is " + formatDuration(medianOf(lengths)) +
                       ", and the slowest is step " + std::to_string(slowest->slowest->number) +
                       (members.several() ? " of " + slowest->title : std::string()) + " with " +
                       formatDuration(slowest->slowest->host.duration()) + ".";
    if (first > 0)
        text += " A first step that stands out is left out (" + formatDuration(first) + ").";
    return text;
}

/// The traces with the smallest and the largest median; empty if there are no two traces with steps.
std::string spreadText(const Members &members)
{
    std::vector<std::pair<Ns, const Member *>> medians;
    for (const Member &member : members.all)
        if (std::vector<Ns> lengths = member.lengths; !lengths.empty())
            medians.emplace_back(medianOf(lengths), &member);
    if (medians.size() < 2)
        return {};
    const auto byTime = [](const auto &a, const auto &b) { return a.first < b.first; };
    const auto least = std::min_element(medians.begin(), medians.end(), byTime);
    const auto most = std::max_element(medians.begin(), medians.end(), byTime);
    if (least->first == most->first)
        return "The median step is equally long in all of them.";
    return "The median step takes from " + formatDuration(least->first) + " (" + least->second->title + ") to " +
           formatDuration(most->first) + " (" + most->second->title + "), " +
           formatShare(shareOfTime(most->first - least->first, least->first)) + " more.";
}

struct DeviceSums {
    Ns window = 0, busy = 0;
    std::array<Ns, kIdleCauses> idle{};
    size_t devices = 0;
    double leastBusy = 2; ///< a share
    std::string leastBusyName;
};

DeviceSums devicesOf(const Members &members)
{
    DeviceSums sums;
    for (const Member &member : members.all) {
        const std::vector<DeviceFigures> devices = deviceFigures(member.counted);
        for (const DeviceFigures &device : devices) {
            ++sums.devices;
            sums.window += device.window;
            sums.busy += device.busyTime;
            for (size_t cause = 0; cause < kIdleCauses; ++cause)
                sums.idle[cause] += device.idle.sums[cause];
            if (device.share(device.busyTime) >= sums.leastBusy)
                continue;
            sums.leastBusy = device.share(device.busyTime);
            sums.leastBusyName = members.several() ? member.title : "device " + std::to_string(device.device);
            if (members.several() && devices.size() > 1)
                sums.leastBusyName += ", device " + std::to_string(device.device);
        }
    }
    return sums;
}

std::string busyText(const DeviceSums &sums)
{
    const Ns idle = std::accumulate(sums.idle.begin(), sums.idle.end(), Ns{0});
    const auto cause = static_cast<size_t>(std::max_element(sums.idle.begin(), sums.idle.end()) - sums.idle.begin());
    std::string text = (sums.devices > 1 ? formatCount(static_cast<int64_t>(sums.devices)) + " devices were"
                                         : std::string("The device was")) +
                       " busy for " + formatShare(shareOfTime(sums.busy, sums.window)) + " of the time";
    if (sums.devices > 1)
        text += " (the least: " + sums.leastBusyName + ", " + formatShare(sums.leastBusy) + ")";
    text += " and idle for " + formatShare(shareOfTime(idle, sums.window)) + ".";
    if (idle > 0)
        text += std::string(" The main cause of idle time is “") + textOf(static_cast<IdleCause>(cause)).title + "” (" +
                formatShare(shareOfTime(sums.idle[cause], idle)) + " of it).";
    return text;
}

/// Where the host's time went, for recordings without device work.
std::string hostText(const Members &members)
{
    Breakdown sums{};
    Ns window = 0;
    for (const Member &member : members.all)
        for (const TimeSpan &span : member.counted.window().intervals()) {
            const Breakdown parts = breakdownOf(member.counted.facts(), span);
            for (size_t role = 0; role < kRoles; ++role)
                sums[role] += parts[role];
            window += span.duration();
        }
    const Ns cpu = std::exchange(sums[static_cast<size_t>(Role::Cpu)], 0);
    const auto rest = static_cast<size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
    std::string text = "No device work was recorded. ";
    if (cpu == 0 && rest == static_cast<size_t>(Role::Other))
        return text + "No operators were recorded, either.";
    text += "Operators and Python took " + formatShare(shareOfTime(cpu, window)) + " of the time.";
    if (sums[rest] == 0)
        return text;
    return text + " Most of the rest is " +
           (rest == static_cast<size_t>(Role::Other) ? std::string("time in which nothing was recorded")
                                                     : std::string("“") + textOf(static_cast<Role>(rest)).title + "”") +
           " (" + formatShare(shareOfTime(sums[rest], window)) + " of the time).";
}

/// The finding of a rule whose measured value is the worst, and in which traces the rule found something.
struct RuleFinding {
    Finding worst;
    const Member *member = nullptr, *last = nullptr; ///< that of the worst finding, and the last one with a finding
    size_t traces = 0;
};

std::vector<RuleFinding> findingsIn(const Members &members)
{
    std::vector<RuleFinding> rules;
    for (const Member &member : members.all)
        for (Finding &finding : findingsOf(member.scope).found) {
            auto rule =
                std::ranges::find_if(rules, [&](const RuleFinding &one) { return one.worst.rule == finding.rule; });
            if (rule == rules.end()) {
                rules.push_back({std::move(finding), &member, &member, 1});
                continue;
            }
            rule->traces += std::exchange(rule->last, &member) != &member;
            const bool isWorse =
                finding.rule->below ? finding.measured < rule->worst.measured : finding.measured > rule->worst.measured;
            if (isWorse) {
                rule->worst = std::move(finding);
                rule->member = &member;
            }
        }
    std::ranges::stable_sort(rules, [](const RuleFinding &a, const RuleFinding &b) {
        return std::pair(a.worst.rule->severity, a.worst.rule) < std::pair(b.worst.rule->severity, b.worst.rule);
    });
    return rules;
}

std::string findingText(const RuleFinding &rule, bool several)
{
    std::string text = textOf(rule.worst.rule->severity);
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    const std::string &sentences = rule.worst.text;
    text += std::string(": ") + rule.worst.rule->title;
    if (several)
        text += " (" + rule.member->title +
                (rule.traces > 1 ? ", and " + std::to_string(rule.traces - 1) + " more" : std::string()) + ")";
    return text + ". " + sentences.substr(0, std::min(sentences.find(". "), sentences.size() - 1) + 1);
}

} // namespace

std::vector<std::string> verdictOf(const SetFacts &facts)
{
    const Members members = membersOf(facts);
    std::vector<std::string> lines{stepsText(members)};
    if (std::string spread = spreadText(members); !spread.empty())
        lines.push_back(std::move(spread));
    const DeviceSums devices = devicesOf(members);
    const bool areUnjudged = std::ranges::any_of(
        members.all, [](const Member &member) { return hasUnjudgedDevices(member.scope.facts().trace()); });
    lines.push_back(devices.devices > 0 ? busyText(devices)
                    : areUnjudged       ? "The device work of Ascend's profiler is not judged."
                                        : hostText(members));
    const std::vector<RuleFinding> rules = findingsIn(members);
    for (size_t at = 0; at < std::min(rules.size(), kNamedFindings); ++at)
        lines.push_back(findingText(rules[at], members.several()));
    if (rules.empty())
        lines.push_back("None of the " + std::to_string(findingRules().size()) + " rules for findings found anything.");
    else if (rules.size() > kNamedFindings)
        lines.push_back(
            formatCounted(static_cast<int64_t>(rules.size() - kNamedFindings), "more finding.", "more findings."));
    return lines;
}

} // namespace riffle
