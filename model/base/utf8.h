// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace riffle {

/// Returns the length of the well-formed UTF-8 sequence (RFC 3629) that starts at `at`, or 0 if there is none.
/// Surrogates, overlong forms and code points above U+10FFFF are not well-formed.
size_t utf8SequenceLength(std::string_view text, size_t at);

bool isUtf8(std::string_view text);
/// Returns the text with U+FFFD in place of each byte that is not part of valid UTF-8.
std::string validUtf8(std::string_view text);
/// Returns the text, or its first characters in at most `most` bytes and an ellipsis.
std::string shortened(std::string_view text, size_t most);

} // namespace riffle
