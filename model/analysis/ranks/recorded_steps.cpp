// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/recorded_steps.h"

#include "model/analysis/ranks/top_level_text.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <simdjson.h>

namespace riffle {

namespace {

/// An integer of a row; kNoInt if it is missing or no integer.
int64_t integerIn(const simdjson::dom::object &row, const char *key)
{
    int64_t number = kNoInt;
    return row.at_key(key).get(number) == simdjson::SUCCESS ? number : kNoInt;
}

std::optional<StepFigures> rowFrom(const simdjson::dom::object &json)
{
    StepFigures row = unknownStepFigures();
    row.flags = step_flag::ByRecorder;
    row.number = integerIn(json, "step");
    row.start = integerIn(json, "start_ns");
    row.duration = integerIn(json, "duration_ns");
    if (row.start < kEarliestTime || row.start > kLatestTime || row.duration < 0 || row.duration > kLatestTime)
        return std::nullopt;
    // The log may be damaged: no part of a step is longer than the step.
    const auto part = [&](const char *key) {
        const int64_t time = integerIn(json, key);
        return time >= 0 && time <= row.duration ? time : kNoInt;
    };
    row.hostWait = part("wait_ns");
    const int64_t device = integerIn(json, "device");
    if (device < INT32_MIN + 1 || device > INT32_MAX)
        return row;
    row.device = static_cast<int32_t>(device);
    row.kernelTime = part("kernel_ns");
    row.communication = part("communication_ns");
    row.exposed = part("exposed_communication_ns");
    row.idle = part("idle_ns");
    row.missing = part("not_recorded_ns");
    if (row.idle != kNoInt && row.missing != kNoInt && row.idle <= row.duration - row.missing)
        row.busy = row.duration - row.missing - row.idle;
    for (Ns *figure : {&row.kernelTime, &row.communication, &row.exposed})
        if (row.busy != kNoInt && *figure > row.busy)
            *figure = kNoInt; // it counts time that was not recorded, which logs once did
    row.memoryPeak = std::max(integerIn(json, "memory_peak_bytes"), int64_t(-1));
    if (row.memoryPeak < 0)
        row.memoryPeak = kNoInt;
    return row;
}

bool isBefore(const StepFigures &a, const StepFigures &b)
{
    return a.start != b.start ? a.start < b.start : a.device < b.device;
}

} // namespace

std::vector<StepFigures> recordedSteps(const TraceInfo &info)
{
    std::vector<StepFigures> rows;
    const std::string_view text = topLevelText(info, "stepSummaries");
    simdjson::dom::parser parser;
    simdjson::dom::array all;
    if (text.empty() || parser.parse(text.data(), text.size()).get(all) != simdjson::SUCCESS)
        return rows;
    for (const simdjson::dom::element one : all) {
        throwIfStoppedAt(rows.size());
        simdjson::dom::object json;
        if (one.get(json) != simdjson::SUCCESS)
            continue;
        if (const auto row = rowFrom(json))
            rows.push_back(*row);
    }
    std::ranges::stable_sort(rows, isBefore);
    return rows;
}

std::vector<StepFigures> withRecordedSteps(std::vector<StepFigures> rows, const std::vector<StepFigures> &recorded)
{
    if (recorded.empty())
        return rows;
    std::map<Ns, std::vector<size_t>> byStart;
    for (size_t at = 0; at < rows.size(); ++at)
        byStart[rows[at].start].push_back(at);
    std::set<int32_t> working; // devices that only had memory in use have no rows of their own
    for (const StepFigures &row : recorded)
        if (row.busy > 0)
            working.insert(row.device);
    std::vector<uint8_t> isReplaced(rows.size(), 0);
    std::vector<StepFigures> more;
    for (StepFigures row : recorded) {
        const auto same = byStart.find(row.start);
        bool isWanted = same == byStart.end() || working.contains(row.device);
        for (const size_t at : same == byStart.end() ? std::vector<size_t>() : same->second) {
            const StepFigures &own = rows[at];
            row.mark = own.mark;
            const bool isOfDevice = own.device == row.device;
            if ((isOfDevice && row.idle != kNoInt && own.idle > row.idle) ||
                (own.device == kNoInt32 && row.device != kNoInt32)) {
                isWanted = true;
                isReplaced[at] = 1;
                break;
            }
            if (isOfDevice)
                isWanted = false;
        }
        if (isWanted)
            more.push_back(row);
    }
    std::vector<StepFigures> all;
    for (size_t at = 0; at < rows.size(); ++at)
        if (!isReplaced[at] && !(rows[at].flags & step_flag::Unmarked))
            all.push_back(rows[at]);
    all.insert(all.end(), more.begin(), more.end());
    std::ranges::stable_sort(all, isBefore);
    return all;
}

} // namespace riffle
