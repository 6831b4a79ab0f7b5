// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// The only place that turns times, sizes and counts into text for people. UTF-8; a no-break space stands before the
/// unit.

/// A length of time with four significant digits in s, ms, µs or ns: "1.234 s", "12.34 ms", "850 ns".
std::string formatDuration(Ns duration);
/// A length of time in the same unit, with every nanosecond: "1.234567890 s", "12.345678 ms".
std::string formatDurationExact(Ns duration);
/// A point in time relative to where counting starts, with the digits that tell `step` apart: "7.1642 s", "120 µs".
std::string formatTick(Ns time, Ns step);
/// Unix nanoseconds as date and time in UTC, with the digits that tell `step` apart.
std::string formatUnixTime(int64_t unixNs, Ns step = 1);
/// "512 B", "1.50 GiB": powers of 1024, three significant digits. Negative values keep their sign.
std::string formatBytes(int64_t bytes);
/// "1,234,567"
std::string formatCount(int64_t count);
/// "1 row", "1,234 rows"
std::string formatCounted(int64_t count, std::string_view one, std::string_view many);
/// A plain number with four significant digits.
std::string formatNumber(double value);
/// "42.1 %"; `share` 1 is 100 %.
std::string formatShare(double share);

} // namespace riffle
