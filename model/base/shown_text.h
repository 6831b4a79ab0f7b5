// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// Returns text from a file in a form that is safe to print: it cannot control the terminal or reverse the text around
/// it. Control characters other than the line feed, and bytes that are not valid UTF-8, become escapes such as "\x1b";
/// other line separators, characters that override the text direction and U+FFFE and U+FFFF, which XML cannot contain,
/// become escapes such as "\u202e". For human readers only: programs get the file's original bytes.
std::string shownText(std::string_view text);

} // namespace riffle
