// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// One entry of a JSON object: its key (unescaped) and the raw text of its value, byte for byte.
struct JsonEntry {
    std::string key;
    std::string value;
};

/// Returns the raw text of an event's `args` object; empty if it has none. Works on damaged events as far as possible.
std::string argsText(std::string_view eventText);
/// Returns the entries of an object's raw text, in order.
std::vector<JsonEntry> entriesOf(std::string_view objectText);
/// Converts the raw text of a JSON string literal to plain text (unescaped); returns other values unchanged.
std::string plainText(std::string_view rawValue);

} // namespace riffle
