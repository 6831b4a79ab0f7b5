// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Appends a JSON string literal of the text. Each byte that is not part of valid UTF-8 becomes U+FFFD.
void appendJsonString(std::string &out, std::string_view text);
/// The number of bytes that appendJsonString() adds for valid UTF-8.
size_t jsonStringBytes(std::string_view text);
std::string jsonString(std::string_view text);

/// A JSON array on one line; toJson(item) is the JSON of an item.
template <typename Items, typename ToJson>
std::string jsonList(const Items &items, ToJson toJson)
{
    std::string out = "[";
    for (const auto &item : items) {
        if (out.size() > 1)
            out += ", ";
        out += toJson(item);
    }
    return out += ']';
}
/// A JSON array of strings.
std::string jsonList(const std::vector<std::string> &texts);

/// Returns the text as a CSV field (RFC 4180), quoted only if necessary. Control characters other than tabs and line
/// ends become escapes such as "\x1b", because no program expects them there and a terminal may obey them; all other
/// bytes stay as they are.
std::string csvField(std::string_view text);

} // namespace riffle
