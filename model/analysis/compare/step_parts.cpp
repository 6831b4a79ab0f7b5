// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/step_parts.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/summary/figures.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

namespace {

struct ComputeText {
    WorkClass kind;
    const char *key, *title, *meaning;
};
/// The classes of kernels that compute, in the order of WorkClass.
constexpr std::array<ComputeText, 4> kComputeTexts{{
    {WorkClass::MatrixProducts, "matrix_products", "Matrix products", "Kernels of matrix products and convolutions."},
    {WorkClass::Attention, "attention", "Attention", "Kernels of attention."},
    {WorkClass::OtherCompute, "other_compute", "Other compute", "All other kernels that compute."},
    {WorkClass::Compiled, "compiled", "Compiled, Triton", "Kernels of a compiler and Triton's."},
}};

size_t computeClassOf(WorkClass kind)
{
    for (size_t at = 0; at < kComputeTexts.size(); ++at)
        if (kComputeTexts[at].kind == kind)
            return at;
    return 2; // kernels without a class, or of a class that does not compute, are other compute
}

/// For each class, the times in which its kernels compute and none that started earlier does.
std::array<IntervalSet, kComputeTexts.size()> computeByClass(const TraceFacts &facts, const DeviceWork::Device &device,
                                                             Ns until)
{
    const DeviceWork &work = facts.work();
    const WorkClasses &classes = *facts.workClasses();
    std::array<IntervalSet, kComputeTexts.size()> times;
    Ns covered = kEarliestTime;
    std::array<Ns, kComputeTexts.size()> ends{}; // by class, the last end of the kernels that start at one time
    for (uint32_t at = device.first; at < device.last && work.start[at] < until;) {
        const Ns start = work.start[at];
        ends.fill(start);
        for (; at < device.last && work.start[at] == start; ++at) {
            throwIfStoppedAt(at);
            if (work.role[at] == Role::Compute) {
                Ns &end = ends[computeClassOf(classes.of(work.slice[at]))];
                end = std::max(end, work.end[at]);
            }
        }
        for (size_t kind = 0; kind < ends.size(); ++kind) {
            times[kind].append({std::max(start, covered), ends[kind]});
            covered = std::max(covered, ends[kind]);
        }
    }
    return times;
}

/// "Idle (host: DataLoader)"
std::string idleTitle(const IdleCauseText &text)
{
    std::string title = text.title;
    if (title.front() >= 'A' && title.front() <= 'Z')
        title.front() = static_cast<char>(title.front() - 'A' + 'a');
    return "Idle (" + title + ")";
}

/// Takes times from a window, part by part.
class Cutting {
public:
    Cutting(StepParts &parts, const IntervalSet &window) : m_parts(parts), m_rest(window) {}

    void take(std::string key, std::string title, std::string meaning, const IntervalSet &times)
    {
        IntervalSet rest = m_rest - times;
        const Ns time = m_rest.length() - rest.length();
        m_parts.parts.push_back({std::move(key), std::move(title), std::move(meaning), time});
        m_rest = std::move(rest);
    }

private:
    StepParts &m_parts;
    IntervalSet m_rest;
};

StepParts partsOfDevice(const Scope &scope, size_t index, const DeviceIdle &idle)
{
    const TraceFacts &facts = scope.facts();
    const DeviceTimes &times = facts.devices()[index];
    const IntervalSet &window = scope.wholeWindow();
    StepParts made{facts.work().devices[index].number, window.length(), {}};
    Cutting cutting(made, window);
    const Ns until = window.empty() ? kEarliestTime : window.intervals().back().end;
    const auto compute = computeByClass(facts, facts.work().devices[index], until);
    for (size_t kind = 0; kind < compute.size(); ++kind)
        cutting.take(kComputeTexts[kind].key, kComputeTexts[kind].title, kComputeTexts[kind].meaning, compute[kind]);
    cutting.take("memcpy", "Exposed memcpy", textOf(Role::Memcpy).meaning, times.memcpy);
    cutting.take("memset", "Exposed memset", textOf(Role::Memset).meaning, times.memset);
    cutting.take("communication", "Exposed communication",
                 "Kernels of collectives and point-to-point transfers, while none of the above happens.",
                 times.communication);
    cutting.take("not_recorded", "Not recorded",
                 "Time in which the devices were not recorded, without work that reaches into it.", facts.gaps().times);
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
        const IdleCauseText &text = textOf(static_cast<IdleCause>(cause));
        made.parts.push_back(
            {std::string("idle_") + text.key, idleTitle(text), std::string("Idle. ") + text.meaning, idle.sums[cause]});
    }
    return made;
}

StepParts partsOfHost(const Scope &scope)
{
    StepParts made{{}, scope.wholeWindow().length(), {}};
    Breakdown sums{};
    for (const TimeSpan &span : scope.wholeWindow().intervals()) {
        const Breakdown parts = breakdownOf(scope.facts(), span);
        for (size_t role = 0; role < kRoles; ++role)
            sums[role] += parts[role];
    }
    for (size_t role = 0; role < kRoles; ++role)
        made.parts.push_back({kRoleTexts[role].key, kRoleTexts[role].title, kRoleTexts[role].meaning, sums[role]});
    return made;
}

} // namespace

std::vector<StepParts> stepParts(const Scope &scope)
{
    if (scope.facts().work().devices.empty())
        return {partsOfHost(scope)};
    ScopeRequest request = scope.request();
    request.wholeGaps = true;
    const Scope whole(scope.facts(), request, scope.trace());
    const std::vector<DeviceIdle> idle = idleGaps(whole);
    std::vector<StepParts> devices;
    for (size_t at = 0; at < idle.size(); ++at)
        devices.push_back(partsOfDevice(whole, at, idle[at]));
    return devices;
}

} // namespace riffle
