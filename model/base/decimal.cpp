// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/decimal.h"

#include "model/base/ascii.h"

#include <charconv>
#include <climits>
#include <cmath>

namespace riffle {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

} // namespace

std::optional<int64_t> decimalToInteger(std::string_view text, int shift, bool *exact)
{
    text = withoutBlanks(text);
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    // `digits` collects the digits without leading zeros; pointPlace is the position of the decimal point among them.
    char digits[40];
    int count = 0;
    bool any = false;
    bool beyond = false; // a non-zero digit that did not fit in `digits`
    int64_t pointPlace = 0;
    size_t at = 0;
    const auto take = [&](char c, bool fraction) {
        any = true;
        if (count == 0 && c == '0') {
            pointPlace -= fraction;
            return;
        }
        if (count < 40)
            digits[count++] = c;
        else {
            beyond |= c != '0';
            pointPlace += !fraction;
            return;
        }
        pointPlace += !fraction;
    };
    for (; at < text.size() && asciiDigit(text[at]); ++at)
        take(text[at], false);
    // Up to here, pointPlace counts the integer digits; the leading zeros of a pure fraction make it negative.
    if (at < text.size() && text[at] == '.') {
        for (++at; at < text.size() && asciiDigit(text[at]); ++at)
            take(text[at], true);
    }
    if (!any)
        return std::nullopt;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at + 1 < text.size() && text[at] == '+' && asciiDigit(text[at + 1]))
            ++at;
        int exponent = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
        if (error == std::errc::invalid_argument)
            return std::nullopt;
        if (error == std::errc::result_out_of_range)
            exponent = text[at] == '-' ? INT_MIN : INT_MAX; // no text has enough digits to compensate
        at = static_cast<size_t>(end - text.data());
        pointPlace += exponent;
    }
    if (at != text.size())
        return std::nullopt;
    if (exact)
        *exact = true;
    if (count == 0)
        return 0;
    pointPlace += shift;
    if (pointPlace > 19)
        return std::nullopt;
    uint64_t value = 0;
    int used = 0;
    for (; used < pointPlace; ++used) {
        const uint64_t digit = used < count ? static_cast<uint64_t>(digits[used] - '0') : 0;
        if (value > (UINT64_MAX - digit) / 10)
            return std::nullopt;
        value = value * 10 + digit;
    }
    if (pointPlace >= 0 && used < count) {
        bool more = beyond;
        for (int rest = used + 1; rest < count; ++rest)
            more |= digits[rest] != '0';
        const char next = digits[used];
        if (exact)
            *exact = next == '0' && !more;
        if (next > '5' || (next == '5' && (more || (value & 1))))
            ++value;
    } else if (pointPlace < 0 && exact) {
        *exact = false;
    }
    const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    if (value > limit)
        return std::nullopt;
    return negative ? static_cast<int64_t>(0 - value) : static_cast<int64_t>(value);
}

double asWritten(float value)
{
    char digits[32];
    double number = static_cast<double>(value);
    if (std::isfinite(value)) {
        const auto written = std::to_chars(digits, digits + sizeof digits, value);
        std::from_chars(digits, written.ptr, number);
    }
    return number;
}

std::optional<RawId> integerId(std::string_view text)
{
    text = withoutBlanks(text);
    if (text.empty())
        return std::nullopt;
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text.remove_prefix(2);
        base = 16;
        if (text.front() == '-')
            return std::nullopt;
    }
    const char *end = text.data() + text.size();
    int64_t signedValue = 0;
    auto result = std::from_chars(text.data(), end, signedValue, base);
    if (result.ec == std::errc() && result.ptr == end)
        return RawId{signedValue, RawId::Kind::Signed};
    uint64_t unsignedValue = 0;
    result = std::from_chars(text.data(), end, unsignedValue, base);
    if (result.ec == std::errc() && result.ptr == end)
        return RawId{static_cast<int64_t>(unsignedValue), RawId::Kind::Unsigned};
    return std::nullopt;
}

} // namespace riffle
