// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace riffle::cli {

/// Characters, not bytes.
size_t lengthOf(std::string_view text);
/// The first so many characters.
std::string firstOf(std::string_view text, size_t characters);

} // namespace riffle::cli
