// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/peeked_place.h"

#include "model/ingest/archive_text.h"
#include "model/trace/json_entries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <simdjson.h>

namespace riffle {

namespace {

constexpr size_t kPlainPeek = 64 << 10, kPackedPeek = 1 << 20; ///< bytes of text
constexpr size_t kLongestInfo = 1 << 20; ///< bytes; with lists of ranks, it may be longer than what is looked at
constexpr std::string_view kDistributedInfo = "\"distributedInfo\"", kEvents = "\"traceEvents\"";

struct AxisOfGroup {
    std::string_view description, axis;
};
constexpr std::array kAxisOfGroup = {
    AxisOfGroup{"TENSOR_MODEL_PARALLEL_GROUP", "tp"},
    AxisOfGroup{"PIPELINE_MODEL_PARALLEL_GROUP", "pp"},
    AxisOfGroup{"DATA_PARALLEL_GROUP", "dp"},
    AxisOfGroup{"CONTEXT_PARALLEL_GROUP", "cp"},
    AxisOfGroup{"EXPERT_MODEL_PARALLEL_GROUP", "ep"},
    AxisOfGroup{"mesh_tp", "tp"},
    AxisOfGroup{"mesh_pp", "pp"},
    AxisOfGroup{"mesh_dp", "dp"},
    AxisOfGroup{"mesh_cp", "cp"},
    AxisOfGroup{"mesh_ep", "ep"},
    AxisOfGroup{"mesh_sp", "sp"},
    AxisOfGroup{"mesh_fsdp", "fsdp"},
    AxisOfGroup{"mesh_dp_replicate", "dp_replicate"},
    AxisOfGroup{"mesh_dp_shard", "dp_shard"},
};

std::optional<int64_t> peekedNumber(std::string_view text)
{
    int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Returns where the rank is among the ranks of a group; nothing if they are not all listed.
std::optional<uint32_t> indexInGroup(simdjson::dom::element group, int64_t rank)
{
    simdjson::dom::array ranks;
    int64_t size = 0;
    if (group["ranks"].get(ranks) != simdjson::SUCCESS)
        return std::nullopt;
    const bool isSizeKnown = group["pg_size"].get(size) == simdjson::SUCCESS;
    std::optional<uint32_t> found;
    uint32_t index = 0;
    for (const simdjson::dom::element one : ranks) {
        int64_t number = 0;
        if (one.get(number) != simdjson::SUCCESS)
            return std::nullopt;
        if (number == rank)
            found = index;
        ++index;
    }
    return isSizeKnown && size != index ? std::nullopt : found;
}

std::vector<ParallelCoordinate> coordinatesInGroups(const std::string &config, int64_t rank)
{
    simdjson::dom::parser parser;
    simdjson::dom::array groups;
    std::vector<ParallelCoordinate> coordinates;
    if (parser.parse(config).get(groups) != simdjson::SUCCESS)
        return coordinates;
    std::vector<std::string_view> unclear; // axes with two groups of this rank that do not agree
    for (const simdjson::dom::element group : groups) {
        std::string_view description;
        if (group["pg_desc"].get(description) != simdjson::SUCCESS)
            continue;
        const auto axis = std::ranges::find(kAxisOfGroup, description, &AxisOfGroup::description);
        const auto index = axis == kAxisOfGroup.end() ? std::nullopt : indexInGroup(group, rank);
        if (!index)
            continue;
        const auto known = std::ranges::find(coordinates, axis->axis, &ParallelCoordinate::axis);
        if (known == coordinates.end())
            coordinates.push_back({std::string(axis->axis), *index});
        else if (known->index != *index)
            unclear.push_back(axis->axis);
    }
    std::erase_if(coordinates,
                  [&](const ParallelCoordinate &one) { return std::ranges::find(unclear, one.axis) != unclear.end(); });
    return coordinates;
}

/// Returns the text behind the last key `distributedInfo`; empty if there is none.
std::string_view infoIn(std::string_view text)
{
    for (size_t at = text.rfind(kDistributedInfo); at != text.npos;
         at = at == 0 ? text.npos : text.rfind(kDistributedInfo, at - 1)) {
        if (at > 0 && text[at - 1] == '\\') // in a text
            continue;
        size_t value = text.find_first_not_of(" \t\r\n", at + kDistributedInfo.size());
        if (value == text.npos || text[value] != ':')
            continue;
        value = text.find_first_not_of(" \t\r\n", value + 1);
        if (value != text.npos && text[value] == '{')
            return text.substr(value);
    }
    return {};
}

} // namespace

RecordedPlace placeInText(std::string_view text)
{
    RecordedPlace place;
    std::string groups;
    for (JsonEntry &entry : entriesOf(infoIn(text))) {
        if (entry.key == "rank")
            place.rank = peekedNumber(entry.value);
        else if (entry.key == "world_size")
            place.worldSize = peekedNumber(entry.value);
        else if (entry.key == "pg_config")
            groups = std::move(entry.value);
    }
    if (place.rank && !groups.empty())
        place.coordinates = coordinatesInGroups(groups.front() == '"' ? plainText(groups) : groups, *place.rank);
    return place;
}

void peekChromeJson(const SniffedFile &sniffed, RunFile &file)
{
    if (sniffed.isPacked()) {
        // Most writers have it before the events, near the begin.
        std::string text = headOfArchive(sniffed.path(), kPlainPeek);
        if (text.size() == kPlainPeek && text.find(kEvents) == text.npos)
            text = headOfArchive(sniffed.path(), kPackedPeek);
        file.recorded = placeInText(text);
        return;
    }
    const std::string_view text = sniffed.bytes();
    for (const size_t from : {text.size() - std::min(text.size(), kPlainPeek), size_t{0}}) {
        // The value may reach beyond what is searched.
        const std::string_view found = infoIn(text.substr(from, kPlainPeek));
        if (found.empty())
            continue;
        const auto value = static_cast<size_t>(found.data() - text.data());
        file.recorded =
            placeInText(std::string(kDistributedInfo) + ":" + std::string(text.substr(value, kLongestInfo)));
        return;
    }
}

} // namespace riffle
