// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace riffle::cli {

/// The number of code points of a UTF-8 text, which serves as its width in a terminal. Wide and combining characters
/// count as one, too.
size_t lengthOf(std::string_view text);
/// The first `characters` code points of a UTF-8 text.
std::string firstOf(std::string_view text, size_t characters);
/// The number of columns of a terminal that a UTF-8 text takes: two for the wide characters of East Asia and for emoji,
/// none for combining ones.
size_t widthOf(std::string_view text);
/// The text, or an ellipsis and its end if it takes more columns than this.
std::string endWithin(std::string_view text, size_t columns);

} // namespace riffle::cli
