// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/trimmed_part.h"

#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {

/// Parses a pair such as "[1, 2]"; nothing if the text is not a pair or its end is before its start.
std::optional<TimeSpan> pairIn(std::string_view raw)
{
    const size_t comma = raw.find(',');
    if (raw.size() < 2 || raw.front() != '[' || raw.back() != ']' || comma == raw.npos)
        return std::nullopt;
    const auto number = [](std::string_view text) {
        while (!text.empty() && (text.front() == ' ' || text.front() == '\n'))
            text.remove_prefix(1);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\n'))
            text.remove_suffix(1);
        return decimalToInteger(text, 0);
    };
    const auto begin = number(raw.substr(1, comma - 1)), end = number(raw.substr(comma + 1, raw.size() - comma - 2));
    if (!begin || !end || *end < *begin)
        return std::nullopt;
    return TimeSpan{*begin, *end};
}

std::string pairText(TimeSpan pair) { return fmt::format("[{}, {}]", pair.begin, pair.end); }

} // namespace

std::string TrimmedPart::text() const
{
    return fmt::format(R"({{"range_ns": {}{}{}, "recorded_ns": {}}})", pairText(range), steps ? R"(, "steps": )" : "",
                       steps ? pairText(*steps) : "", pairText(recorded));
}

std::optional<TrimmedPart> TrimmedPart::in(const std::vector<std::pair<std::string, std::string>> &metadata)
{
    std::optional<TimeSpan> range, steps, recorded;
    for (const auto &[key, value] : metadata) {
        if (key != kTrimmedKey)
            continue;
        for (const JsonEntry &part : entriesOf(value)) {
            if (part.key == "range_ns")
                range = pairIn(part.value);
            else if (part.key == "steps")
                steps = pairIn(part.value);
            else if (part.key == "recorded_ns")
                recorded = pairIn(part.value);
        }
    }
    if (!range || !recorded || recorded->begin < kEarliestTime || recorded->end > kLatestTime)
        return std::nullopt;
    return TrimmedPart{*range, steps, *recorded};
}

bool TrimmedPart::holds(TimeSpan numbers, TimeSpan span) const
{
    return steps ? numbers.begin <= steps->end && numbers.end >= steps->begin
                 : span.begin >= range.begin && span.end <= range.end;
}

void TrimmedPart::describe(TraceInfo &info) const
{
    const auto both = [](const std::optional<TimeSpan> &asked, TimeSpan there) {
        return asked ? asked->clipped(there) : there;
    };
    const bool byRange = info.part && !info.partSteps;
    info.recorded = recorded;
    info.trimmedFile = !info.part;
    info.part = both(info.part, range);
    if (steps && !byRange)
        info.partSteps = both(info.partSteps, *steps);
}

} // namespace riffle
