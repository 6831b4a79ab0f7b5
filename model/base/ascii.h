// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// Returns ASCII letters in lower case and every other byte unchanged, regardless of the locale.
inline char asciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool asciiDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline std::string asciiLower(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower)
        c = asciiLower(c);
    return lower;
}

/// Returns `text` without leading and trailing blanks, tabs and line ends.
inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

} // namespace riffle
