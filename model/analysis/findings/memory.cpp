// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about device memory.

#include "model/analysis/facts/trace_memory.h"
#include "model/analysis/findings/device_memory.h"
#include "model/analysis/findings/rules.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "model/trace/memory/memory_failures.h"

#include <algorithm>
#include <map>
#include <utility>

namespace riffle {

namespace {

constexpr int32_t kCpu = 0; ///< c10::DeviceType

/// Judges each device's peak of reserved or, unless `reserved`, of allocated memory in the scope.
const char *findPeak(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found, bool reserved)
{
    const MemoryTable &memory = input.trace.memory;
    const Column<int64_t> &column = reserved ? memory.totalReserved : memory.totalAllocated;
    bool isKnown = false;
    for (const DeviceMemory &device : input.memories) {
        if (device.total == kNoInt)
            continue;
        isKnown = true;
        uint32_t peak = UINT32_MAX;
        for (const uint32_t row : device.rows)
            if (input.scope.holds(memory.time[row]) && (peak == UINT32_MAX || column[row] > column[peak]))
                peak = row;
        Finding finding;
        finding.measured =
            peak == UINT32_MAX ? 0 : static_cast<double>(column[peak]) / static_cast<double>(device.total);
        if (!rule.holds(finding.measured))
            continue;
        finding.text = std::string(reserved ? "At the peak, PyTorch holds " : "At the peak, tensors take ") +
                       formatBytes(column[peak]) + " of the device's " + formatBytes(device.total) + ".";
        finding.span = {memory.time[peak], memory.time[peak] + 1};
        if (const SliceRef slice = memory.lane[peak] < input.trace.lanes.size()
                                       ? input.sliceAt(LaneId(memory.lane[peak]), memory.time[peak],
                                                       [](SliceClass kind) { return kind == SliceClass::Operator; })
                                       : SliceRef{};
            slice.valid())
            finding.evidence.push_back(slice);
        finding.device = device.device;
        found.push_back(std::move(finding));
    }
    return isKnown ? nullptr
                   : "No allocations were recorded on a device whose memory size is known (profile_memory=True records "
                     "them).";
}

} // namespace

std::vector<DeviceMemory> deviceMemoryOf(const Trace &trace, const std::vector<DeviceProperties> &devices)
{
    std::map<int32_t, DeviceMemory> found;
    DeviceMemory *last = nullptr; // mostly also the device of the next row
    for (uint32_t row = 0; row < trace.memory.time.size(); ++row) {
        throwIfStoppedAt(row);
        if (trace.memory.deviceType[row] == kCpu || trace.memory.deviceId[row] < 0 ||
            trace.memory.totalAllocated[row] == kNoInt)
            continue;
        if (!last || last->device != trace.memory.deviceId[row]) {
            last = &found[trace.memory.deviceId[row]];
            last->device = trace.memory.deviceId[row];
        }
        last->rows.push_back(row);
    }
    std::vector<DeviceMemory> memories;
    for (auto &[number, memory] : found) {
        for (const DeviceProperties &device : devices)
            if (device.id == number && device.memoryBytes.value_or(0) > 0)
                memory.total = *device.memoryBytes;
        memories.push_back(std::move(memory));
    }
    return memories;
}

std::optional<uint32_t> DeviceMemory::rowAt(const MemoryTable &memory, Ns time) const
{
    const auto after = std::upper_bound(rows.begin(), rows.end(), time,
                                        [&](Ns value, uint32_t row) { return value < memory.time[row]; });
    return after == rows.begin() ? std::nullopt : std::optional(*(after - 1));
}

int64_t heldBytes(const MemoryTable &memory, uint32_t row)
{
    return memory.totalReserved[row] > 0 ? memory.totalReserved[row] : memory.totalAllocated[row];
}

const DeviceMemory *memoryOf(const std::vector<DeviceMemory> &memories, int32_t device, size_t devices)
{
    for (const DeviceMemory &memory : memories)
        if (memory.device == device)
            return &memory;
    // ROCm's profiler numbers agents, not devices, so a single device matches any number.
    return memories.size() == 1 && devices == 1 ? &memories.front() : nullptr;
}

const char *findMemoryPeak(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    return findPeak(input, rule, found, false);
}

const char *findMemoryHeld(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    return findPeak(input, rule, found, true);
}

namespace {

/// "2 allocations failed on GPU0; the first requested 12.0 GiB, with 60.0 GiB allocated and 70.0 GiB reserved."
std::string textOf(const std::vector<MemoryFailure> &failures)
{
    const MemoryFailure &first = failures.front();
    std::string text = failures.size() > 1 ? formatCount(static_cast<int64_t>(failures.size())) + " allocations failed"
                                           : "An allocation failed";
    if (first.deviceType != MemoryFailure::kUnknownType)
        text += " on " + memoryPlaceName(first.deviceType, first.deviceId);
    text += failures.size() > 1 ? "; the first requested " : "; it requested ";
    text += first.asked != kNoInt ? formatBytes(first.asked) : "a size that was not recorded";
    if (first.allocated != kNoInt)
        text += ", with " + formatBytes(first.allocated) + " allocated";
    if (first.allocated != kNoInt && first.reserved != kNoInt)
        text += " and " + formatBytes(first.reserved) + " reserved";
    return text + ".";
}

} // namespace

const char *findOutOfMemory(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    std::map<std::pair<int32_t, int32_t>, std::vector<MemoryFailure>> devices;
    bool any = false;
    for (const MemoryFailure &failure : memoryFailures(input.trace)) {
        any = true;
        if (input.scope.holds(failure.time))
            devices[{failure.deviceType == MemoryFailure::kUnknownType ? INT32_MAX : failure.deviceType,
                     failure.deviceId}]
                .push_back(failure);
    }
    for (const auto &[device, failures] : devices) {
        Finding finding;
        finding.measured = static_cast<double>(failures.size());
        if (!rule.holds(finding.measured))
            continue;
        const MemoryFailure &first = failures.front();
        finding.text = textOf(failures);
        finding.span = {first.time, first.time + 1};
        for (const MemoryFailure &failure : failures)
            if (const SliceRef slice = failure.lane < input.trace.lanes.size()
                                           ? input.sliceAt(LaneId(failure.lane), failure.time,
                                                           [](SliceClass kind) { return kind == SliceClass::Operator; })
                                           : SliceRef{};
                slice.valid())
                finding.evidence.push_back(slice);
        if (first.deviceType > kCpu)
            finding.device = first.deviceId;
        found.push_back(std::move(finding));
    }
    return any || !input.trace.memory.time.empty() ? nullptr
                                                   : "No allocations were recorded (profile_memory=True records them).";
}

} // namespace riffle
