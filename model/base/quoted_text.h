// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// A JSON string literal of the text; bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);
/// A CSV field by RFC 4180: quoted when it has to be. Control characters other than tabs and ends of lines, which no
/// program expects there and a terminal may obey, are written as "\x1b"; all other bytes stay as they are.
std::string csvField(std::string_view text);

} // namespace riffle
