// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/settings.h"

#include "collector/client/rank.h"

namespace riffle::record {

namespace {

constexpr int kMostRanks = 1 << 20;

/// Removes the part before `separator` from `text`, together with the separator, and returns that part.
std::string_view takePart(std::string_view &text, char separator)
{
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

int *fieldOf(Schedule &schedule, std::string_view name)
{
    return name == "wait"              ? &schedule.wait
           : name == "warmup"          ? &schedule.warmup
           : name == "active"          ? &schedule.active
           : name == "repeat"          ? &schedule.repeat
           : name == "skip_first"      ? &schedule.skipFirst
           : name == "skip_first_wait" ? &schedule.skipFirstWait
                                       : nullptr;
}

} // namespace

std::string Schedule::text() const
{
    const auto part = [](const char *name, int value) { return std::string(name) + "=" + std::to_string(value); };
    return part("wait", wait) + "," + part("warmup", warmup) + "," + part("active", active) + "," +
           part("repeat", repeat) + "," + part("skip_first", skipFirst) + "," + part("skip_first_wait", skipFirstWait);
}

std::optional<Schedule> parseSchedule(std::string_view text, std::string &error)
{
    Schedule schedule;
    while (!text.empty()) {
        std::string_view value = takePart(text, ',');
        const std::string name(takePart(value, '='));
        int *field = fieldOf(schedule, name);
        const auto number = wholeNumber(value);
        if (!field || !number) {
            error = field ? "The schedule's " + name + " needs a number."
                          : "A schedule has wait, warmup, active, repeat, skip_first and skip_first_wait, but not '" +
                                name + "'.";
            return std::nullopt;
        }
        *field = *number;
    }
    if (schedule.active == 0) {
        error = "A schedule needs active=N with N above 0.";
        return std::nullopt;
    }
    return schedule;
}

std::optional<Schedule> parseSteps(std::string_view text, std::string &error)
{
    const auto first = wholeNumber(takePart(text, ':'));
    const auto end = wholeNumber(text);
    if (!first || !end || *end <= *first) {
        error = "Give the steps as A:B with A below B; step B is not recorded.";
        return std::nullopt;
    }
    Schedule schedule;
    schedule.warmup = *first > 0 ? 1 : 0; // the sources are switched on one step early
    schedule.skipFirst = *first - schedule.warmup;
    schedule.active = *end - *first;
    schedule.repeat = 1;
    return schedule;
}

std::optional<SlowStep> parseSlowStep(std::string_view text, std::string &error)
{
    SlowStep slow;
    error = "Give a limit such as 250ms, or a multiple of the median such as 2.5x.";
    if (text.ends_with('x')) {
        text.remove_suffix(1);
        slow.timesMedian = text;
        const bool point = text.find('.') != std::string_view::npos;
        const auto whole = wholeNumber(takePart(text, '.'));
        const bool tenth = point ? text.size() == 1 && wholeNumber(text) : text.empty();
        return whole && *whole > 0 && *whole <= 1000 && tenth ? std::optional(slow) : std::nullopt;
    }
    if (text.ends_with("ms"))
        text.remove_suffix(2);
    slow.milliseconds = wholeNumber(text).value_or(0);
    return slow.milliseconds > 0 ? std::optional(slow) : std::nullopt;
}

std::optional<int> parseMemoryHistory(std::string_view text, std::string &error)
{
    const auto entries = wholeNumber(text);
    if (entries && *entries > 0)
        return entries;
    error = "Give the number of allocations and frees to keep, such as 100000.";
    return std::nullopt;
}

std::optional<std::vector<int>> parseRanks(std::string_view text, std::string &error)
{
    std::vector<int> ranks;
    do {
        std::string_view part = takePart(text, ',');
        const auto first = wholeNumber(takePart(part, '-'));
        const auto last = part.empty() ? first : wholeNumber(part);
        if (!first || !last || *last < *first || *last >= kMostRanks) {
            error = "Give numbers and ranges of numbers, such as 0,1,8-15.";
            return std::nullopt;
        }
        for (int rank = *first; rank <= *last; ++rank)
            ranks.push_back(rank);
    } while (!text.empty());
    return ranks;
}

} // namespace riffle::record
