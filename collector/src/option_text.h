// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace riffle::collector {

/// Removes the part before the first of the `separators` from `text`, together with the separator, and returns that
/// part.
inline std::string_view takePart(std::string_view &text, std::string_view separators)
{
    const size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

/// Reads a whole number from `least` to `most`, inclusive. Otherwise returns false and leaves `value` unchanged.
inline bool readNumber(std::string_view text, int64_t least, int64_t most, int64_t &value)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
        return false;
    value = number;
    return true;
}

} // namespace riffle::collector
