// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_failures.h"

#include "model/base/decimal.h"
#include "model/trace/source_text.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <limits>

namespace riffle {

namespace {

constexpr size_t kMostRead = 1000; ///< number of events; reading one from a compressed trace may inflate several MB

void readFigures(const Trace &trace, MemoryFailure &failure)
{
    const auto arguments = trace.source->arguments(
        {trace.instants.sourceOffset[failure.instant], trace.instants.sourceLength[failure.instant]});
    if (!arguments)
        return;
    int64_t type = kNoInt, id = kNoInt;
    for (const EventArgument &argument : *arguments) {
        const auto number = argument.value.integer();
        if (!number || number->kind != RawId::Kind::Signed)
            continue;
        int64_t *const place = argument.key == "Bytes"             ? &failure.asked
                               : argument.key == "Total Allocated" ? &failure.allocated
                               : argument.key == "Total Reserved"  ? &failure.reserved
                               : argument.key == "Device Type"     ? &type
                               : argument.key == "Device Id"       ? &id
                                                                   : nullptr;
        if (place)
            *place = number->bits;
    }
    using Limits = std::numeric_limits<int32_t>;
    if (type >= 0 && type <= Limits::max() && id <= Limits::max()) {
        failure.deviceType = static_cast<int32_t>(type);
        failure.deviceId = id < 0 ? -1 : static_cast<int32_t>(id);
    }
}

} // namespace

std::vector<MemoryFailure> memoryFailures(const Trace &trace)
{
    std::vector<MemoryFailure> failures;
    uint32_t name = 0;
    while (name < trace.strings.count() && trace.string(name) != kOutOfMemory)
        ++name;
    if (name == trace.strings.count())
        return failures;
    const InstantTable &instants = trace.instants;
    for (uint32_t row = 0; row < instants.time.size(); ++row)
        if (instants.name[row] == name) {
            MemoryFailure &failure = failures.emplace_back();
            failure.instant = row;
            failure.lane = instants.lane[row];
            failure.time = instants.time[row];
        }
    std::stable_sort(failures.begin(), failures.end(),
                     [](const MemoryFailure &a, const MemoryFailure &b) { return a.time < b.time; });
    for (size_t at = 0; trace.source && at < std::min(failures.size(), kMostRead); ++at)
        readFigures(trace, failures[at]);
    return failures;
}

} // namespace riffle
