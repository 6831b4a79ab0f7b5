// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// A JSON string literal of the text; bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);
/// A CSV field by RFC 4180: quoted when it has to be.
std::string csvField(std::string_view text);

} // namespace riffle
