// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstddef>
#include <cstdint>

namespace riffle {

/// Scanners for the values of an event. Each returns one past the value, or null if the text is not what the function
/// accepts; this is not an error, because the caller then uses a slower path. `limit` is the end of the readable text.
/// All of them may read up to kScanReach bytes from `at`, even if the value is shorter.
inline constexpr std::ptrdiff_t kScanReach = 64;

/// Scans a string with its quotes. Declines control characters and invalid UTF-8. `escapes` is set if there is a
/// backslash; all escapes are then valid one-letter escapes or \u with four digits (those that start with d, which may
/// be surrogates, are declined).
const char *scanString(const char *at, const char *limit, bool &escapes);
/// Scans a number that follows JSON's grammar.
const char *scanNumber(const char *at, const char *limit);
/// Scans an integer of at most 18 digits with a separator after it.
const char *scanInteger(const char *at, int64_t &value);
/// Scans microseconds with a separator after them and converts them to nanoseconds. Accepts at most 3 decimals and 15
/// integer digits, or 16 if the result is at most a quarter of the range of Ns; other values are left to the exact
/// path.
const char *scanMicroseconds(const char *at, Ns &value);
/// Scans an array, object or true/false/null that follows JSON's grammar.
const char *scanOther(const char *at, const char *limit);

} // namespace riffle
