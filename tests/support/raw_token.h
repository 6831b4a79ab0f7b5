// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads pieces of JSON text as simdjson hands them out, without a copy.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace riffle::bench {

/// True if the raw key is `literal`, which includes the closing quote.
template <std::size_t Size>
inline bool keyIs(const char *key, const char (&literal)[Size])
{
    return std::memcmp(key, literal, Size - 1) == 0;
}

/// The token without its quotes and without the blanks after it.
inline std::string_view unquoted(std::string_view token)
{
    const std::size_t close = token.rfind('"');
    return close == 0 || close == std::string_view::npos ? token : token.substr(1, close - 1);
}

/// Decimal microseconds as nanoseconds, computed without floating point. Digits below a nanosecond are cut off.
inline std::int64_t nanoseconds(std::string_view token)
{
    if (!token.empty() && token[0] == '"')
        token.remove_prefix(1);
    std::size_t i = 0;
    const bool isNegative = !token.empty() && token[0] == '-';
    i += isNegative ? 1 : 0;
    std::int64_t value = 0;
    for (; i < token.size() && token[i] >= '0' && token[i] <= '9'; ++i)
        value = value * 10 + (token[i] - '0');
    int decimals = 0;
    if (i < token.size() && token[i] == '.') {
        for (++i; decimals < 3 && i < token.size() && token[i] >= '0' && token[i] <= '9'; ++i, ++decimals)
            value = value * 10 + (token[i] - '0');
    }
    for (; decimals < 3; ++decimals)
        value *= 10;
    return isNegative ? -value : value;
}

} // namespace riffle::bench
