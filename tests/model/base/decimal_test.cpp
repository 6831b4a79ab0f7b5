// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/decimal.h"

#include <gtest/gtest.h>
#include <random>
#include <re2/re2.h>
#include <string>

namespace riffle {
namespace {

__extension__ using Wide = __int128;

struct Expected {
    std::optional<int64_t> value;
    bool exact = true;
};

/// Returns digits * 10^exponent, rounded half to even, computed in 128 bits. Takes at most 30 digits.
Expected scaled(bool negative, const std::string &digits, int64_t exponent)
{
    Wide value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    Expected expected;
    if (value == 0)
        exponent = 0;
    for (; exponent > 0 && value <= INT64_MAX; --exponent)
        value *= 10;
    if (exponent > 0)
        return {std::nullopt, true};
    Wide unit = 1;
    for (; exponent < 0 && unit <= value * 2; ++exponent)
        unit *= 10;
    if (exponent < 0) {
        value = 0; // far below half a unit
        expected.exact = false;
    } else {
        const Wide rest = value % unit;
        value /= unit;
        expected.exact = rest == 0;
        if (rest * 2 > unit || (rest * 2 == unit && value % 2 != 0))
            ++value;
    }
    if (negative)
        value = -value;
    if (value >= INT64_MIN && value <= INT64_MAX)
        expected.value = static_cast<int64_t>(value);
    return expected;
}

TEST(DecimalTest, RandomNumbersAsIn128Bits)
{
    std::mt19937_64 random(1);
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    const auto randomDigits = [&](size_t count) {
        std::string digits;
        while (digits.size() < count)
            digits += below(3) ? "0123456789"[below(10)] : "059"[below(3)];
        return digits;
    };
    size_t fitting = 0, rounded = 0;
    for (int round = 0; round < 200'000; ++round) {
        const bool negative = below(2);
        const std::string whole = randomDigits(below(below(2) ? 20 : 8));
        const std::string fraction = randomDigits((whole.empty() ? 1 : 0) + below(10));
        const auto exponent = below(2) ? 0 : static_cast<int64_t>(below(60)) - 30;
        const int shift = static_cast<int>(below(10));
        std::string text = (negative ? "-" : below(9) ? "" : "+") + whole;
        if (!fraction.empty() || below(3) == 0)
            text += "." + fraction;
        if (exponent)
            text +=
                (below(2) ? "e" : "E") + std::string(exponent > 0 && below(2) ? "+" : "") + std::to_string(exponent);
        const Expected expected =
            scaled(negative, whole + fraction, exponent + shift - static_cast<int64_t>(fraction.size()));
        bool exact = false;
        ASSERT_EQ(decimalToInteger(text, shift, &exact), expected.value) << text << " shift " << shift;
        if (expected.value) {
            ASSERT_EQ(exact, expected.exact) << text << " shift " << shift;
        }
        fitting += expected.value.has_value();
        rounded += expected.value && !expected.exact;
    }
    EXPECT_GT(fitting, 50'000u);
    EXPECT_GT(rounded, 10'000u);
}

TEST(DecimalTest, TimesAsProfilersWriteThem)
{
    EXPECT_EQ(microsecondsToNs("1700000000123456.789"), 1'700'000'000'123'456'789);
    EXPECT_EQ(microsecondsToNs("-0.001"), -1);
    EXPECT_EQ(microsecondsToNs("1.5e3"), 1'500'000);
    EXPECT_EQ(microsecondsToNs(" 12 "), 12'000);
    EXPECT_EQ(microsecondsToNs("0"), 0);
    EXPECT_EQ(microsecondsToNs("-0.0"), 0);
}

TEST(DecimalTest, RoundsHalfToEven)
{
    EXPECT_EQ(microsecondsToNs("0.0005"), 0);
    EXPECT_EQ(microsecondsToNs("0.0015"), 2);
    EXPECT_EQ(microsecondsToNs("0.0025"), 2);
    EXPECT_EQ(microsecondsToNs("-0.0025"), -2);
    EXPECT_EQ(microsecondsToNs("0.00250000000000000000000000000000000000000000000000001"), 3);
    EXPECT_EQ(microsecondsToNs("0.0004999999999999999999999999999999999999999999999999"), 0);
    EXPECT_EQ(decimalToInteger("9.5", 0), 10);
    bool exact = true;
    EXPECT_EQ(decimalToInteger("1e-400", 0, &exact), 0);
    EXPECT_FALSE(exact);
    EXPECT_EQ(decimalToInteger("1.000", 0, &exact), 1);
    EXPECT_TRUE(exact);
}

TEST(DecimalTest, FitsOrNot)
{
    EXPECT_EQ(decimalToInteger("9223372036854775807", 0), INT64_MAX);
    EXPECT_EQ(decimalToInteger("9223372036854775808", 0), std::nullopt);
    EXPECT_EQ(decimalToInteger("9223372036854775807.4", 0), INT64_MAX);
    EXPECT_EQ(decimalToInteger("9223372036854775807.5", 0), std::nullopt);
    EXPECT_EQ(decimalToInteger("-9223372036854775808.5", 0), INT64_MIN);
    EXPECT_EQ(decimalToInteger("-9223372036854775808.6", 0), std::nullopt);
    EXPECT_EQ(decimalToInteger("99999999999999999999", 0), std::nullopt);
    EXPECT_EQ(decimalToInteger("1e999999999999999999999", 0), std::nullopt);
    EXPECT_EQ(decimalToInteger("1e-999999999999999999999", 0), 0);
    EXPECT_EQ(decimalToInteger("0e999999999999999999999", 0), 0);
    EXPECT_EQ(decimalToInteger("1e2147483647", 3), std::nullopt);
}

TEST(DecimalTest, WideIntegersHave38Digits)
{
    constexpr Wide kTimesMillion = 14'000'000'000'000'123;
    EXPECT_TRUE(decimalToWide("14000000000000123.456", 3) == kTimesMillion * 1'000 + 456);
    EXPECT_TRUE(decimalToWide("-1.4000000000000123e+16", 3) == kTimesMillion * -1'000);
    EXPECT_TRUE(decimalToWide("0.0025", 3) == Wide{2}); // half to even
    EXPECT_TRUE(decimalToWide("1e34", 3) == decimalToWide("1e37", 0));
    EXPECT_TRUE(decimalToWide("99999999999999999999999999999999999999", 0).has_value());
    EXPECT_FALSE(decimalToWide("1e38", 0).has_value());
    EXPECT_FALSE(decimalToWide("1e300", 3).has_value());
    EXPECT_FALSE(decimalToWide("soon", 3).has_value());
}

TEST(DecimalTest, LongTextCountsAsItStands)
{
    const std::string zeros(200'000, '0');
    EXPECT_EQ(decimalToInteger(zeros + "7", 0), 7);
    EXPECT_EQ(decimalToInteger("0." + zeros + "7e200001", 0), 7);
    EXPECT_EQ(decimalToInteger("7" + zeros + "e-200000", 0), 7);
    EXPECT_EQ(decimalToInteger("2.5" + zeros + "1", 0), 3);
    EXPECT_EQ(decimalToInteger("7" + zeros, 0), std::nullopt);
}

TEST(DecimalTest, TakesNumbersOnly)
{
    const RE2 number("[ \t]*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?[ \t]*");
    std::mt19937 random(2);
    size_t numbers = 0;
    for (int round = 0; round < 100'000; ++round) {
        std::string text;
        for (size_t left = random() % 7; left > 0; --left)
            text += "01 5.9eE+-x\t"[random() % 12];
        const bool good = RE2::FullMatch(text, number);
        ASSERT_EQ(decimalToInteger(text, 0).has_value() || decimalToInteger(text, -1'000'000).has_value(), good)
            << '"' << text << '"';
        numbers += good;
    }
    EXPECT_GT(numbers, 5'000u);
    for (const char *text :
         {"", "nan", "inf", "N/A", "0x10", "1,5", "1_000", "1e", "1e+", "1e+-2", "--1", "1 2", "\"1\""})
        EXPECT_EQ(decimalToInteger(text, 3), std::nullopt) << text;
}

TEST(AsWritten, IsTheNumberThatWasWritten)
{
    EXPECT_EQ(asWritten(0.1f), 0.1);
    EXPECT_EQ(asWritten(-18.486486f), -18.486486);
    EXPECT_EQ(asWritten(0), 0);
    EXPECT_EQ(asWritten(1e30f), 1e30);
    EXPECT_EQ(asWritten(INFINITY), INFINITY);
    EXPECT_TRUE(std::isnan(asWritten(NAN)));
}

TEST(IntegerIdTest, KeepsAllThatFits64Bits)
{
    using Kind = RawId::Kind;
    const auto same = [](std::string_view text, int64_t bits, Kind kind) {
        return integerId(text) == RawId{bits, kind};
    };
    EXPECT_TRUE(same("0", 0, Kind::Signed));
    EXPECT_TRUE(same(" -42 ", -42, Kind::Signed));
    EXPECT_TRUE(same("9223372036854775807", INT64_MAX, Kind::Signed));
    EXPECT_TRUE(same("9223372036854775808", INT64_MIN, Kind::Unsigned));
    EXPECT_TRUE(same("18446744073709551615", -1, Kind::Unsigned));
    EXPECT_TRUE(same("-9223372036854775808", INT64_MIN, Kind::Signed));
    EXPECT_TRUE(same("0x7f", 127, Kind::Signed));
    EXPECT_TRUE(same("0XFFFFffffFFFFffff", -1, Kind::Unsigned));
    for (const char *text : {"", " ", "18446744073709551616", "-9223372036854775809", "0x", "0x10000000000000000",
                             "0x-5", "1.0", "1e3", "12a", "0xg", "--1", "x"})
        EXPECT_EQ(integerId(text), std::nullopt) << text;
}

} // namespace
} // namespace riffle
