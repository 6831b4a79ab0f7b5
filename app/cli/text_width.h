// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace riffle::cli {

/// The length of a UTF-8 text in characters, not bytes.
size_t lengthOf(std::string_view text);
/// The first `characters` characters of a UTF-8 text.
std::string firstOf(std::string_view text, size_t characters);

} // namespace riffle::cli
