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

template <typename Unsigned>
struct Magnitude {
    Unsigned value;
    bool negative;
};

/// Converts the text to an integer with at most \p most digits and its sign.
template <typename Unsigned>
std::optional<Magnitude<Unsigned>> magnitudeOf(std::string_view text, int shift, int most, bool *exact)
{
    constexpr auto kLargest = static_cast<Unsigned>(-1);
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
        return Magnitude<Unsigned>{0, negative};
    pointPlace += shift;
    if (pointPlace > most)
        return std::nullopt;
    Unsigned value = 0;
    int used = 0;
    for (; used < pointPlace; ++used) {
        const Unsigned digit = used < count ? static_cast<Unsigned>(digits[used] - '0') : 0;
        if (value > (kLargest - digit) / 10)
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
    return Magnitude<Unsigned>{value, negative};
}

} // namespace

std::optional<int64_t> decimalToInteger(std::string_view text, int shift, bool *exact)
{
    const auto found = magnitudeOf<uint64_t>(text, shift, 19, exact);
    if (!found || found->value > static_cast<uint64_t>(INT64_MAX) + (found->negative ? 1 : 0))
        return std::nullopt;
    return found->negative ? static_cast<int64_t>(0 - found->value) : static_cast<int64_t>(found->value);
}

std::optional<WideInteger> decimalToWide(std::string_view text, int shift)
{
    __extension__ typedef unsigned __int128 UnsignedWideInteger;
    const auto found = magnitudeOf<UnsignedWideInteger>(text, shift, 38, nullptr);
    if (!found)
        return std::nullopt;
    return found->negative ? -static_cast<WideInteger>(found->value) : static_cast<WideInteger>(found->value);
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
