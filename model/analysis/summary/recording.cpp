// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/recording.h"

#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

#include <algorithm>

namespace riffle {

namespace {

/// Top-level keys; the part before "_version" is the name in Recording::versions.
constexpr const char *kVersions[]{"cuda_runtime_version", "cuda_driver_version", "cupti_version",
                                  "hip_runtime_version",  "hip_driver_version",  "roctracer_version"};

/// The value of an entry of a top-level object; empty if there is none.
std::string entryOf(const TraceInfo &info, std::string_view object, std::string_view key)
{
    for (const auto &[name, value] : info.metadata)
        if (name == object)
            for (const JsonEntry &entry : entriesOf(value))
                if (entry.key == key)
                    return plainText(entry.value);
    return {};
}

std::string frameworkOf(const TraceInfo &info)
{
    if (const std::string version = entryOf(info, "process", "torch"); !version.empty())
        return "PyTorch " + version;
    if (const std::string version = entryOf(info, "process", "paddle"); !version.empty())
        return "PaddlePaddle " + version;
    return info.format == "Kineto JSON" ? "PyTorch" : info.format == "Paddle JSON" ? "PaddlePaddle" : "";
}

std::vector<Recording::Device> devicesBy(const TraceFacts &facts)
{
    std::vector<Recording::Device> devices;
    for (DeviceProperties &properties : devicesOf(facts.trace().info)) {
        const auto number = properties.id.value_or(static_cast<int64_t>(devices.size()));
        devices.push_back({std::move(properties), number, false});
    }
    const auto &used = facts.work().devices;
    // ROCm's slices may number the devices of a machine differently, so a single listed device is taken to be the one
    // used.
    if (devices.size() == 1 && used.size() == 1)
        devices.front().number = used.front().number;
    for (const DeviceWork::Device &work : used)
        for (Recording::Device &device : devices)
            device.used |= device.number == work.number;
    std::stable_partition(devices.begin(), devices.end(), [](const Recording::Device &device) { return device.used; });
    return devices;
}

} // namespace

std::string versionText(std::string_view key, const std::string &value)
{
    bool exact = false;
    const auto number = decimalToInteger(value, 0, &exact);
    if (!number || !exact || *number < 1000)
        return value;
    if (key.starts_with("cuda_"))
        return std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
    if (key.starts_with("hip_") && *number >= 10'000'000)
        return std::to_string(*number / 10'000'000) + "." + std::to_string(*number / 100'000 % 100) + "." +
               std::to_string(*number % 100'000);
    return value;
}

std::string groupsText(const DistributedInfo &distributed)
{
    std::string text;
    for (const ProcessGroup &group : distributed.groups) {
        text += text.empty() ? "" : ", ";
        text += group.description.empty() || group.description == "undefined" ? group.name : group.description;
        if (group.size)
            text += " (" + std::to_string(*group.size) + (*group.size == 1 ? " rank)" : " ranks)");
    }
    return text;
}

std::string Recording::nameOf(int64_t number) const
{
    bool alike = !devices.empty();
    for (const Device &device : devices) {
        if (device.number == number)
            return device.properties.name;
        alike &= device.properties.name == devices.front().properties.name;
    }
    return alike ? devices.front().properties.name : "";
}

Recording recordingOf(const TraceFacts &facts)
{
    const TraceInfo &info = facts.trace().info;
    Recording recording;
    recording.format = info.format;
    recording.framework = frameworkOf(info);
    recording.distributed = distributedOf(info).value_or(DistributedInfo{});
    recording.rank = info.rank ? info.rank : recording.distributed.rank;
    recording.worldSize = info.worldSize ? info.worldSize : recording.distributed.worldSize;
    recording.devices = devicesBy(facts);
    recording.options = recordedOptionsOf(info);
    for (const std::string_view key : kVersions)
        for (const auto &[name, value] : info.metadata)
            if (name == key)
                recording.versions.emplace_back(key.substr(0, key.rfind('_')), versionText(key, plainText(value)));
    return recording;
}

} // namespace riffle
