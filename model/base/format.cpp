// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace riffle {

namespace {

constexpr const char *kGap = "\u00a0";

struct TimeUnit {
    uint64_t ns;
    int digits; ///< decimals needed to show a nanosecond
    const char *name;
};
constexpr std::array<TimeUnit, 4> kUnits{
    {{1'000'000'000, 9, "s"}, {1'000'000, 6, "ms"}, {1'000, 3, "µs"}, {1, 0, "ns"}}};

uint64_t magnitude(int64_t value)
{
    return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
}

const TimeUnit &unitFor(uint64_t ns)
{
    for (const TimeUnit &unit : kUnits)
        if (ns >= unit.ns)
            return unit;
    return kUnits.back();
}

uint64_t powerOfTen(int exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/// Returns ns / unit with exactly `decimals` decimals (at most the unit's), rounded half up in integer arithmetic.
std::string fixed(uint64_t ns, const TimeUnit &unit, int decimals)
{
    const uint64_t drop = powerOfTen(unit.digits - decimals);
    const uint64_t rounded = ns / drop + (ns % drop >= (drop + 1) / 2 && drop > 1 ? 1 : 0);
    const uint64_t scale = powerOfTen(decimals);
    std::string text = std::to_string(rounded / scale);
    if (decimals > 0) {
        std::string fraction = std::to_string(rounded % scale);
        text += '.' + std::string(static_cast<size_t>(decimals) - fraction.size(), '0') + fraction;
    }
    return text;
}

std::string withUnit(Ns time, const std::string &digits, const char *unit)
{
    return (time < 0 ? "\u2212" : "") + digits + kGap + unit;
}

std::string significant(double value, int digits)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? "NaN" : value < 0 ? "\u2212∞" : "∞";
    const double size = std::abs(value);
    int decimals = digits - 1;
    for (double limit = 10; size >= limit && decimals > 0; limit *= 10)
        --decimals;
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

} // namespace

std::string formatDuration(Ns duration)
{
    const uint64_t ns = magnitude(duration);
    const TimeUnit *unit = &unitFor(ns);
    const uint64_t whole = ns / unit->ns;
    const int wanted = whole >= 100 ? 1 : whole >= 10 ? 2 : 3;
    const int decimals = whole >= 1000 ? 0 : std::min(wanted, unit->digits);
    std::string digits = fixed(ns, *unit, decimals);
    constexpr size_t kFourDigits = 5; // and a point
    if (decimals > 0 && digits.size() > kFourDigits)
        digits = fixed(ns, *unit, decimals - 1); // it was rounded up to a power of ten
    return withUnit(duration, digits, unit->name);
}

std::string formatDurationExact(Ns duration)
{
    const uint64_t ns = magnitude(duration);
    const TimeUnit &unit = unitFor(ns);
    return withUnit(duration, fixed(ns, unit, unit.digits), unit.name);
}

std::string formatTick(Ns time, Ns step)
{
    const uint64_t ns = magnitude(time);
    if (ns == 0)
        return "0";
    const TimeUnit &unit = unitFor(ns);
    int decimals = unit.digits;
    while (decimals > 0 && powerOfTen(unit.digits - decimals + 1) <= magnitude(step) &&
           magnitude(step) % powerOfTen(unit.digits - decimals + 1) == 0)
        --decimals;
    return withUnit(time, fixed(ns, unit, decimals), unit.name);
}

std::string formatUnixTime(int64_t unixNs, Ns step)
{
    int64_t seconds = unixNs / 1'000'000'000;
    int64_t rest = unixNs % 1'000'000'000;
    if (rest < 0) {
        rest += 1'000'000'000;
        --seconds;
    }
    int64_t days = seconds / 86400;
    int64_t ofDay = seconds % 86400;
    if (ofDay < 0) {
        ofDay += 86400;
        --days;
    }
    // Civil date from days since 1970-01-01, in 400-year eras that start on 1 March.
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t ofEra = days - era * 146097;
    const int64_t yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
    const int64_t ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    const int64_t shifted = (5 * ofYear + 2) / 153;
    const int day = static_cast<int>(ofYear - (153 * shifted + 2) / 5 + 1);
    const int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
    const int64_t year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);

    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04lld-%02d-%02d %02d:%02d:%02d", static_cast<long long>(year), month, day,
                  static_cast<int>(ofDay / 3600), static_cast<int>(ofDay / 60 % 60), static_cast<int>(ofDay % 60));
    std::string out = text.data();
    int decimals = 9;
    for (uint64_t unit = 10; decimals > 0 && magnitude(step) % unit == 0 && unit <= magnitude(step); unit *= 10)
        --decimals;
    if (decimals > 0) {
        std::snprintf(text.data(), text.size(), "%09lld", static_cast<long long>(rest));
        out += '.' + std::string(text.data(), static_cast<size_t>(decimals));
    }
    return out;
}

std::string formatBytes(int64_t bytes)
{
    static constexpr std::array<const char *, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const uint64_t size = magnitude(bytes);
    const char *sign = bytes < 0 ? "\u2212" : "";
    if (size < 1024)
        return sign + std::to_string(size) + kGap + "B";
    double value = static_cast<double>(size);
    size_t unit = 0;
    while (value >= 1023.995 && unit + 1 < kNames.size()) {
        value /= 1024;
        ++unit;
    }
    return sign + significant(value, 3) + kGap + kNames[unit];
}

std::string formatCount(int64_t count)
{
    std::string text = std::to_string(magnitude(count));
    for (size_t at = text.size(); at > 3;)
        text.insert(at -= 3, 1, ',');
    return (count < 0 ? "\u2212" : "") + text;
}

std::string formatCounted(int64_t count, std::string_view one, std::string_view many)
{
    return (formatCount(count) += ' ') += count == 1 ? one : many;
}

std::string formatNumber(double value)
{
    if (std::abs(value) >= 1e15 || (value != 0 && std::abs(value) < 1e-3)) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.3e", value);
        return text.data();
    }
    if (value == std::floor(value))
        return formatCount(static_cast<int64_t>(value));
    return significant(value, 4);
}

std::string formatShare(double share) { return significant(share * 100, 3) + kGap + "%"; }

} // namespace riffle
