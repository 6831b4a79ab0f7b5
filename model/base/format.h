// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// Only these functions turn times, sizes and counts into text for the user. The text is UTF-8, with a no-break space
/// before the unit.

/// Formats a duration with four significant digits in s, ms, µs or ns: "1.234 s", "12.34 ms", "850 ns".
std::string formatDuration(Ns duration);
/// Formats a duration in the same unit as formatDuration(), to the nanosecond: "1.234567890 s", "12.345678 ms".
std::string formatDurationExact(Ns duration);
/// Formats a time relative to an origin, with enough digits to distinguish times that are `step` apart: "7.1642 s",
/// "120 µs".
std::string formatTick(Ns time, Ns step);
/// Formats Unix nanoseconds as date and time in UTC, with enough digits to distinguish times that are `step` apart.
std::string formatUnixTime(int64_t unixNs, Ns step = 1);
/// "512 B", "1.50 GiB": powers of 1024, three significant digits. Negative values keep their sign.
std::string formatBytes(int64_t bytes);
/// "1,234,567"
std::string formatCount(int64_t count);
/// "1 row", "1,234 rows"
std::string formatCounted(int64_t count, std::string_view one, std::string_view many);
/// Formats a plain number: integers in full, other numbers with four significant digits. Very large and very small
/// numbers get an exponent.
std::string formatNumber(double value);
/// "42.1 %"; a `share` of 1 is 100 %.
std::string formatShare(double share);

} // namespace riffle
