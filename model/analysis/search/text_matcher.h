// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace riffle {

/// Decides whether a text matches; callable from any thread.
using TextMatcher = std::function<bool(std::string_view)>;

/// Matches texts that are `whole`, ASCII letters in either case.
TextMatcher wholeTextMatcher(std::string whole);
/// Matches texts that contain `needle`; ASCII letters in either case unless caseSensitive. An empty needle matches
/// nothing.
TextMatcher substringMatcher(std::string needle, bool caseSensitive);
/// Matches texts in which the expression (RE2's syntax: Perl's without look-around and backreferences) is found; an
/// Error that says why when it is none. Takes time in proportion to the text and bounded memory, whatever the
/// expression. Text that is no UTF-8 is read byte by byte, as Latin-1; all text is where the expression itself is no
/// UTF-8.
Result<TextMatcher> regexMatcher(const std::string &expression, bool caseSensitive);

} // namespace riffle
