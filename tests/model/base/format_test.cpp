// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace riffle {
namespace {

/// The text with plain spaces, for readability.
std::string plain(std::string text)
{
    for (size_t at; (at = text.find("\u00a0")) != std::string::npos;)
        text.replace(at, 2, " ");
    return text;
}

TEST(Format, DurationsHaveFourDigitsInAFittingUnit)
{
    EXPECT_EQ(plain(formatDuration(0)), "0 ns");
    EXPECT_EQ(plain(formatDuration(850)), "850 ns");
    EXPECT_EQ(plain(formatDuration(1'234)), "1.234 µs");
    EXPECT_EQ(plain(formatDuration(12'345'678)), "12.35 ms");
    EXPECT_EQ(plain(formatDuration(123'456'789)), "123.5 ms");
    EXPECT_EQ(plain(formatDuration(9'999'499)), "9.999 ms");
    EXPECT_EQ(plain(formatDuration(9'999'500)), "10.00 ms");
    EXPECT_EQ(plain(formatDuration(99'999'999)), "100.0 ms");
    EXPECT_EQ(plain(formatDuration(999'999'999)), "1000 ms");
    EXPECT_EQ(plain(formatDuration(7'200'000'000'000)), "7200 s");
    EXPECT_EQ(plain(formatDuration(-1'500)), "\u22121.500 µs");
    EXPECT_EQ(plain(formatDuration(INT64_MIN)), "\u22129223372037 s");
}

TEST(Format, ExactDurationsKeepEveryNanosecond)
{
    EXPECT_EQ(plain(formatDurationExact(1'234'567'891)), "1.234567891 s");
    EXPECT_EQ(plain(formatDurationExact(12'345'678)), "12.345678 ms");
    EXPECT_EQ(plain(formatDurationExact(999)), "999 ns");
}

TEST(Format, TicksShowTheDigitsOfTheirStep)
{
    EXPECT_EQ(plain(formatTick(0, 100)), "0");
    EXPECT_EQ(plain(formatTick(7'164'200'000, 100'000)), "7.1642 s");
    EXPECT_EQ(plain(formatTick(120'000, 20'000)), "120 µs");
    EXPECT_EQ(plain(formatTick(1'500'000, 500'000)), "1.5 ms");
    EXPECT_EQ(plain(formatTick(2'000'000'000, 500'000'000)), "2.0 s");
}

TEST(Format, UnixTimesAreDatesInUtc)
{
    EXPECT_EQ(formatUnixTime(1'767'189'312'123'456'789), "2025-12-31 13:55:12.123456789");
    EXPECT_EQ(formatUnixTime(1'767'189'312'123'456'789, 1'000'000), "2025-12-31 13:55:12.123");
    EXPECT_EQ(formatUnixTime(1'767'189'312'123'456'789, 2'000'000'000), "2025-12-31 13:55:12");
    EXPECT_EQ(formatUnixTime(-1), "1969-12-31 23:59:59.999999999");
    EXPECT_EQ(formatUnixTime(951'782'400'000'000'000, 1'000'000'000), "2000-02-29 00:00:00");
}

TEST(Format, SizesCountsAndShares)
{
    EXPECT_EQ(plain(formatBytes(512)), "512 B");
    EXPECT_EQ(plain(formatBytes(1536)), "1.50 KiB");
    EXPECT_EQ(plain(formatBytes(int64_t{80} << 30)), "80.0 GiB");
    EXPECT_EQ(plain(formatBytes((int64_t{1} << 20) - 1)), "1.00 MiB");
    EXPECT_EQ(plain(formatBytes(-2048)), "\u22122.00 KiB");
    EXPECT_EQ(formatCount(1'234'567), "1,234,567");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCounted(1, "row", "rows"), "1 row");
    EXPECT_EQ(formatCounted(0, "row", "rows"), "0 rows");
    EXPECT_EQ(formatCounted(1'234, "row", "rows"), "1,234 rows");
    EXPECT_EQ(formatCount(-1000), "\u22121,000");
    EXPECT_EQ(plain(formatShare(0.4213)), "42.1 %");
    EXPECT_EQ(formatNumber(3), "3");
    EXPECT_EQ(formatNumber(3.14159), "3.142");
}

} // namespace
} // namespace riffle
