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

/// Matches texts that contain `needle`; ASCII letters in either case unless caseSensitive. An empty needle matches nothing.
TextMatcher substringMatcher(std::string needle, bool caseSensitive);
/// Matches texts in which the expression (ECMAScript) is found; an Error when it is not well-formed. Looks at the first
/// 2 KiB of a text, because the expression engine recurses per character.
Result<TextMatcher> regexMatcher(const std::string &expression, bool caseSensitive);

} // namespace riffle
