// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace riffle {

/// Returns true if a text matches; callable from any thread.
using TextMatcher = std::function<bool(std::string_view)>;

/// Matches texts that equal `whole`, ignoring ASCII case.
TextMatcher wholeTextMatcher(std::string whole);
/// Matches texts that contain `needle`, ignoring ASCII case unless caseSensitive. An empty needle matches nothing.
TextMatcher substringMatcher(std::string needle, bool caseSensitive);
/// Matches texts in which the expression is found. The syntax is RE2's: Perl's without look-around and backreferences.
/// Returns an Error that says why an expression is invalid. For every expression, matching takes bounded memory and
/// time proportional to the text. Text that is not valid UTF-8 is read byte by byte, as Latin-1; if the expression
/// itself is not valid UTF-8, this applies to all text.
Result<TextMatcher> regexMatcher(const std::string &expression, bool caseSensitive);

} // namespace riffle
