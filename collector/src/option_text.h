// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace riffle::collector {

/// The part of `text` before the first of the `separators`; what is behind it stays.
inline std::string_view takePart(std::string_view &text, std::string_view separators)
{
    const size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

/// A whole number between the two, both included; else `value` stays.
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
