// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about the use of the devices and their capabilities.

#include "model/analysis/facts/kernel_traits.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/tensor_core_names.h"
#include "model/analysis/findings/rules.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

constexpr int64_t kFirstWithTensorCores = 7; ///< compute capability
constexpr int64_t kFirstForNccl = 35;        ///< ten times the compute capability

/// Decides by name whether an operator could use tensor cores. Each name is judged once.
class EligibleNames {
public:
    explicit EligibleNames(const Trace &trace) : m_trace(trace), m_answers(trace.strings.count(), 0) {}
    bool of(uint32_t name)
    {
        uint8_t &answer = m_answers[name];
        if (!answer)
            answer = isTensorCoreEligible(m_trace.string(name)) ? 2 : 1;
        return answer == 2;
    }

private:
    const Trace &m_trace;
    std::vector<uint8_t> m_answers;
};

} // namespace

const char *findTensorCoresUnused(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    bool isKnown = work.empty();
    for (size_t index = 0; index < work.devices.size(); ++index) {
        const DeviceWork::Device &device = work.devices[index];
        const DeviceProperties *properties = input.properties(device.number);
        if (!properties || !properties->computeMajor)
            continue;
        isKnown = true;
        const DeviceFigures &figures = input.overview.devices[index];
        if (*properties->computeMajor < kFirstWithTensorCores || figures.tensorSum > 0)
            continue;
        EligibleNames eligible(input.trace);
        TensorCoreNames tensorCores(input.trace);
        SliceReader reader(input.trace);
        std::vector<uint32_t> kernels;
        Ns time = 0;
        for (uint32_t at = device.first; at < device.last; ++at) {
            throwIfStoppedAt(at);
            // Only kernels that are known not to use tensor cores count.
            if (work.role[at] != Role::Compute || work.operation[at] == CallTree::kNone ||
                input.scope.deviceTime(at) == 0 || tensorCores.of(work.name[at]) != TensorCores::No ||
                !reader.seek(input.facts.calls().slice[work.operation[at]]) || !eligible.of(reader.name()))
                continue;
            kernels.push_back(at);
            time += input.scope.deviceTime(at);
        }
        Finding finding;
        finding.measured =
            figures.kernelSum > 0 ? static_cast<double>(time) / static_cast<double>(figures.kernelSum) : 0;
        if (!rule.holds(finding.measured))
            continue;
        std::stable_sort(kernels.begin(), kernels.end(),
                         [&](uint32_t a, uint32_t b) { return work.duration(a) > work.duration(b); });
        finding.text = "The device has tensor cores (compute capability " + std::to_string(*properties->computeMajor) +
                       "." + std::to_string(properties->computeMinor.value_or(0)) +
                       "), but no kernel is known to use them; matrix products and convolutions on ordinary cores "
                       "take " +
                       formatDuration(time) + ".";
        for (const uint32_t kernel : kernels)
            finding.evidence.push_back(input.ref(work.slice[kernel]));
        finding.device = device.number;
        found.push_back(std::move(finding));
    }
    return isKnown ? nullptr : "The trace does not record the capabilities of the devices.";
}

const char *findDataParallel(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    Finding finding;
    for (const DeviceFigures &figures : input.overview.devices)
        finding.measured += figures.kernels > 0;
    if (!rule.holds(finding.measured))
        return nullptr;
    const SliceRef forward = input.hostSliceNamed("DataParallel.forward");
    if (!forward.valid())
        return nullptr;
    finding.evidence.push_back(forward);
    finding.text =
        "DataParallel drives " + formatMeasured(finding.measured, rule.unit) +
        " devices from one process: it copies the model in every step and its threads share one interpreter.";
    found.push_back(std::move(finding));
    return nullptr;
}

const char *findDistributedWithoutNccl(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const bool isAble = std::any_of(input.devices.begin(), input.devices.end(), [](const DeviceProperties &device) {
        return device.computeMajor && *device.computeMajor * 10 + device.computeMinor.value_or(0) >= kFirstForNccl;
    });
    const auto &world = input.trace.info.worldSize;
    if (!isAble || (world && *world < 2))
        return nullptr;
    Finding finding;
    for (uint32_t name = 0; name < input.trace.strings.count(); ++name)
        finding.measured += namesCollectiveLibrary(input.trace.string(name));
    if (!rule.holds(finding.measured))
        return nullptr;
    const SliceRef forward = input.hostSliceNamed("DistributedDataParallel.forward");
    if (!forward.valid())
        return nullptr;
    finding.evidence.push_back(forward);
    const auto distributed = distributedOf(input.trace.info);
    finding.text = "DistributedDataParallel runs without NCCL";
    finding.text += distributed && !distributed->backend.empty() ? "; the backend is " + distributed->backend + "."
                                                                 : std::string(".");
    found.push_back(std::move(finding));
    return nullptr;
}

} // namespace riffle
