// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_properties.h"

#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

#include <initializer_list>
#include <simdjson.h>

namespace riffle {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

std::optional<int64_t> integerOf(const object &entries, std::initializer_list<const char *> keys)
{
    for (const char *key : keys) {
        element value;
        if (entries.at_key(key).get(value) != simdjson::SUCCESS)
            continue;
        int64_t number = 0;
        std::string_view text;
        if (value.get(number) == simdjson::SUCCESS)
            return number;
        bool exact = false;
        if (value.get(text) == simdjson::SUCCESS)
            if (const auto digits = decimalToInteger(text, 0, &exact); exact)
                return digits;
    }
    return std::nullopt;
}

std::string textOf(const object &entries, const char *key)
{
    std::string_view text;
    return entries.at_key(key).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

/// The raw value of a top-level key; empty if there is none. If a key occurs twice, the last one counts.
std::string rawText(const TraceInfo &info, std::string_view key)
{
    std::string found;
    for (const auto &[name, value] : info.metadata)
        if (name == key)
            found = value;
    return found;
}

/// The parsed text; empty if it is not valid JSON.
std::optional<element> parsed(simdjson::dom::parser &parser, const std::string &text)
{
    element value;
    if (text.empty() || parser.parse(text).get(value) != simdjson::SUCCESS)
        return std::nullopt;
    return value;
}

DeviceProperties deviceOf(const object &entries)
{
    DeviceProperties device;
    device.id = integerOf(entries, {"id"});
    device.name = textOf(entries, "name");
    device.memoryBytes = integerOf(entries, {"totalGlobalMem"});
    device.computeMajor = integerOf(entries, {"computeMajor", "major"});
    device.computeMinor = integerOf(entries, {"computeMinor", "minor"});
    device.multiprocessors = integerOf(entries, {"numSms", "multiProcessorCount", "maxComputeUnits"});
    device.threadsPerMultiprocessor =
        integerOf(entries, {"maxThreadsPerMultiprocessor", "maxThreadsPerMultiProcessor"});
    device.threadsPerBlock = integerOf(entries, {"maxThreadsPerBlock", "maxWorkGroupSize"});
    device.registersPerMultiprocessor = integerOf(entries, {"regsPerMultiprocessor"});
    device.sharedMemoryPerMultiprocessor =
        integerOf(entries, {"sharedMemPerMultiprocessor", "maxSharedMemoryPerMultiProcessor"});
    device.warpSize = integerOf(entries, {"warpSize"});
    return device;
}

} // namespace

std::vector<DeviceProperties> devicesOf(const TraceInfo &info)
{
    std::vector<DeviceProperties> devices;
    simdjson::dom::parser parser;
    for (const char *key : {"deviceProperties", "computeProperties"}) {
        const auto list = parsed(parser, rawText(info, key));
        simdjson::dom::array entries;
        if (!list || list->get(entries) != simdjson::SUCCESS)
            continue;
        for (const element each : entries) {
            object entry;
            if (each.get(entry) == simdjson::SUCCESS)
                devices.push_back(deviceOf(entry));
        }
        if (!devices.empty())
            break;
    }
    return devices;
}

std::optional<DistributedInfo> distributedOf(const TraceInfo &info)
{
    simdjson::dom::parser parser;
    const auto found = parsed(parser, rawText(info, "distributedInfo"));
    object entries;
    if (!found || found->get(entries) != simdjson::SUCCESS)
        return std::nullopt;
    DistributedInfo distributed;
    distributed.backend = textOf(entries, "backend");
    distributed.rank = integerOf(entries, {"rank"});
    distributed.worldSize = integerOf(entries, {"world_size"});
    distributed.ncclVersion = textOf(entries, "nccl_version");
    simdjson::dom::array groups;
    if (entries.at_key("pg_config").get(groups) == simdjson::SUCCESS) {
        for (const element each : groups) {
            object group;
            if (each.get(group) != simdjson::SUCCESS)
                continue;
            element ranks;
            std::string ranksText = textOf(group, "ranks");
            if (ranksText.empty() && group.at_key("ranks").get(ranks) == simdjson::SUCCESS)
                ranksText = simdjson::minify(ranks);
            distributed.groups.push_back(
                {textOf(group, "pg_name"), textOf(group, "pg_desc"), integerOf(group, {"pg_size"}), ranksText});
        }
    }
    return distributed;
}

RecordedOptions recordedOptionsOf(const TraceInfo &info)
{
    RecordedOptions options;
    const std::pair<const char *, std::optional<bool> *> keys[]{{"record_shapes", &options.recordShapes},
                                                                {"with_stack", &options.withStack},
                                                                {"profile_memory", &options.profileMemory},
                                                                {"with_flops", &options.withFlops},
                                                                {"with_modules", &options.withModules}};
    bool any = false;
    for (const auto &[key, option] : keys)
        if (const std::string text = plainText(rawText(info, key)); !text.empty()) {
            *option = text != "0" && text != "false";
            any = true;
        }
    if (any) {
        for (const auto &[key, option] : keys)
            *option = option->value_or(false);
        return options;
    }
    simdjson::dom::parser parser;
    object process;
    const auto found = parsed(parser, rawText(info, "process"));
    if (!found || found->get(process) != simdjson::SUCCESS)
        return options;
    const std::string preset = textOf(process, "preset"); // every log of the collector contains it
    if (preset.empty())
        return options;
    const auto has = [&](const char *key) -> std::optional<bool> {
        const std::string said = textOf(process, key); // logs of older collectors lack it
        return said.empty() ? std::nullopt : std::optional(said == "recorded");
    };
    options.recordShapes = has("shapes");
    options.withFlops = options.recordShapes.value_or(false); // they are computed from the shapes
    options.withModules = has("modules");
    const std::string stacks = textOf(process, "stacks");
    options.withStack = stacks.starts_with("recorded") || stacks.starts_with("sampled");
    options.profileMemory = preset == "memory";
    return options;
}

} // namespace riffle
