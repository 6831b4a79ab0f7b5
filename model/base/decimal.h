// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// Decimal text times 10^shift as an integer, exactly and never through a double; digits beyond the unit are rounded
/// half to even. Takes JSON numbers with sign, fraction and exponent; tolerates surrounding blanks and a leading plus.
/// `exact` (may be null) tells whether nothing was rounded away. nullopt when the text is no number or does not fit.
std::optional<int64_t> decimalToInteger(std::string_view text, int shift, bool *exact = nullptr);

/// Microseconds as written in a trace's `ts` and `dur` to nanoseconds.
inline std::optional<Ns> microsecondsToNs(std::string_view text) { return decimalToInteger(text, 3); }

/// A 64-bit id as found in the source with what is needed to print it again.
struct RawId {
    enum class Kind : uint8_t { None, Signed, Unsigned, Text };
    int64_t bits = 0; ///< Signed: the value; Unsigned: the uint64 with these bits; Text: a StringId value
    Kind kind = Kind::None;
    bool operator==(const RawId &) const = default;
};

/// Integer text to a RawId: int64 as Signed, up to 2^64-1 as Unsigned, anything else nullopt. "0x…" is read as
/// hexadecimal.
std::optional<RawId> integerId(std::string_view text);

} // namespace riffle
