// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstddef>
#include <cstdint>

namespace riffle {

/// Scanners for the values of an event, each returning one past the value or null when the text is not what the
/// function takes (which is no error: the caller falls back). `limit`: end of readable text; all may read kScanReach
/// bytes from `at`.
inline constexpr std::ptrdiff_t kScanReach = 64;

/// A string with its quotes. Declines control characters and bad UTF-8; `escapes` tells whether there was a backslash,
/// all of which are then valid one-letter escapes or \u with four digits (surrogates are declined).
const char *scanString(const char *at, const char *limit, bool &escapes);
/// A number by JSON's grammar.
const char *scanNumber(const char *at, const char *limit);
/// An integer of at most 18 digits that nothing but a separator follows.
const char *scanInteger(const char *at, int64_t &value);
/// Microseconds with at most 3 decimals and 15 integer digits, to nanoseconds, that nothing but a separator follows.
/// (18 digits in all, so that values beyond a quarter of the range are left to the exact path.)
const char *scanMicroseconds(const char *at, Ns &value);
/// An array, object or true/false/null by JSON's grammar.
const char *scanOther(const char *at, const char *limit);

} // namespace riffle
