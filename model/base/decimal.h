// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// Converts decimal text to an integer, multiplied by 10^shift, without going through a double. Digits after the
/// decimal point of the result are rounded half to even. Accepts JSON numbers with sign, fraction and exponent, and
/// tolerates surrounding blanks and a leading plus sign. Sets `*exact`, unless `exact` is null, to false if rounding
/// changed the value and to true otherwise. Returns nullopt if the text is not a number or the result does not fit.
std::optional<int64_t> decimalToInteger(std::string_view text, int shift, bool *exact = nullptr);

/// Converts a number that was stored in single precision to the double that its shortest decimal text means: 0.1f to
/// 0.1, not to 0.10000000149. Infinity and NaN stay what they are.
double asWritten(float value);

__extension__ typedef __int128 WideInteger;

/// Does the same for results of up to 38 digits.
std::optional<WideInteger> decimalToWide(std::string_view text, int shift);

/// Converts microseconds, as written in a trace's `ts` and `dur`, to nanoseconds.
inline std::optional<Ns> microsecondsToNs(std::string_view text) { return decimalToInteger(text, 3); }

/// A 64-bit id from the source, with the information needed to print it as it was written.
struct RawId {
    enum class Kind : uint8_t { None, Signed, Unsigned, Text };
    int64_t bits = 0; ///< Signed: the value; Unsigned: the uint64 with these bits; Text: a StringId value
    Kind kind = Kind::None;
    bool operator==(const RawId &) const = default;
};

/// Converts integer text to a RawId: Signed if it fits an int64, Unsigned up to 2^64-1, otherwise nullopt. "0x…" is
/// hexadecimal.
std::optional<RawId> integerId(std::string_view text);

} // namespace riffle
