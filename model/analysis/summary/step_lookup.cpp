// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/step_lookup.h"

#include "model/base/ascii.h"
#include "model/base/decimal.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace riffle {

namespace {

struct Unit {
    std::string_view name;
    int shift; ///< decimal digits from the unit to nanoseconds
};
// A name that ends in another name must come before it.
constexpr std::array<Unit, 6> kUnits{{{"ns", 0}, {"us", 3}, {"µs", 3}, {"μs", 3}, {"ms", 6}, {"s", 9}}};

bool dropPrefix(std::string_view &text, std::string_view prefix)
{
    if (text.size() < prefix.size())
        return false;
    for (size_t i = 0; i < prefix.size(); ++i) {
        const char c = asciiLower(text[i]);
        if (c != prefix[i])
            return false;
    }
    text.remove_prefix(prefix.size());
    text = trimmed(text);
    return true;
}

std::optional<int64_t> wholeNumber(std::string_view text)
{
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace

std::optional<Ns> parseTime(std::string_view text)
{
    text = trimmed(text);
    if (text.empty())
        return std::nullopt;
    if (text.ends_with("min")) {
        const auto minutes = decimalToInteger(trimmed(text.substr(0, text.size() - 3)), 9);
        if (!minutes || *minutes > std::numeric_limits<Ns>::max() / 60 ||
            *minutes < std::numeric_limits<Ns>::min() / 60)
            return std::nullopt;
        return *minutes * 60;
    }
    for (const Unit &unit : kUnits) {
        if (text.ends_with(unit.name)) {
            const std::string_view number = trimmed(text.substr(0, text.size() - unit.name.size()));
            return number.empty() ? std::nullopt : decimalToInteger(number, unit.shift);
        }
    }
    return decimalToInteger(text, 9);
}

std::string timeText(Ns time)
{
    const bool negative = time < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
    const Unit unit = size >= 1'000'000'000 ? Unit{"s", 9}
                      : size >= 1'000'000   ? Unit{"ms", 6}
                      : size >= 1000        ? Unit{"us", 3}
                                            : Unit{"ns", 0};
    uint64_t scale = 1;
    for (int i = 0; i < unit.shift; ++i)
        scale *= 10;
    std::string out = fmt::format("{}{}", negative ? "-" : "", size / scale);
    if (uint64_t rest = size % scale; rest != 0) {
        std::string digits = std::to_string(rest);
        digits.insert(0, static_cast<size_t>(unit.shift) - digits.size(), '0');
        digits.erase(digits.find_last_not_of('0') + 1);
        out += "." + digits;
    }
    return out + std::string(unit.name);
}

Result<TimeSpan> parseRange(std::string_view text)
{
    const size_t colon = text.find(':');
    const Error wrong{fmt::format("'{}' is not a range. Write two times, as in 1.5ms:2ms.", text), {}, {}};
    if (colon == text.npos)
        return wrong;
    const std::string_view from = trimmed(text.substr(0, colon));
    const std::string_view to = trimmed(text.substr(colon + 1));
    const auto begin = from.empty() ? std::optional<Ns>(0) : parseTime(from);
    const auto end = to.empty() ? std::optional<Ns>(std::numeric_limits<Ns>::max() / 4) : parseTime(to);
    if (!begin || !end || (from.empty() && to.empty()))
        return wrong;
    if (*end <= *begin)
        return Error{fmt::format("The range '{}' is empty: its end must be after its start.", text), {}, {}};
    return TimeSpan{*begin, *end};
}

Result<TimeSpan> parseSteps(std::string_view text)
{
    const size_t colon = text.find(':');
    const auto first = wholeNumber(trimmed(text.substr(0, colon)));
    const auto last = colon == text.npos ? first : wholeNumber(trimmed(text.substr(colon + 1)));
    if (!first || !last || *last < *first)
        return Error{fmt::format("'{}' does not name steps. Write 3 or 3:5.", text), {}, {}};
    return TimeSpan{*first, *last};
}

std::optional<int64_t> parseStepNumber(std::string_view text)
{
    text = trimmed(text);
    dropPrefix(text, "profilerstep") || dropPrefix(text, "profilestep") || dropPrefix(text, "step");
    dropPrefix(text, "#");
    return wholeNumber(text);
}

std::optional<TimeSpan> stepSpan(const TraceSet &traces, int64_t number)
{
    for (const LoadedTrace &member : traces.loaded()) {
        for (const Step &step : member.trace->steps) {
            if (step.number == number)
                return member.time.toSet(step.span);
        }
    }
    return std::nullopt;
}

Result<TimeSpan> lookUpPlace(const TraceSet &traces, std::string_view text)
{
    text = trimmed(text);
    const Ns origin = traces.origin();
    if (text.find(':') != text.npos && !text.ends_with(':')) {
        const Result<TimeSpan> range = parseRange(text);
        if (!range)
            return range.error();
        return TimeSpan{saturatedSum(origin, range->begin), saturatedSum(origin, range->end)};
    }
    const bool bareNumber = wholeNumber(text).has_value();
    if (const auto number = parseStepNumber(text); number && !bareNumber) {
        if (const auto span = stepSpan(traces, *number))
            return *span;
        return Error{"There is no step " + std::to_string(*number) + ".", {}, {}};
    }
    // A bare whole number is a step's number if there is such a step, otherwise seconds.
    if (bareNumber) {
        if (const auto span = stepSpan(traces, *wholeNumber(text)))
            return *span;
    }
    if (const auto time = parseTime(text))
        return TimeSpan{saturatedSum(origin, *time), saturatedSum(origin, *time)};
    return Error{fmt::format("'{}' is neither a time (1.5ms) nor a step (#3).", text), {}, {}};
}

} // namespace riffle
