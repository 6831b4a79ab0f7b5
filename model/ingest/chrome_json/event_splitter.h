// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace riffle {

inline constexpr size_t kMaxEventBytes = 16u << 20;

inline bool isJsonBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Position of the first non-blank at or after `at`.
size_t skipJsonBlanks(std::string_view text, size_t at);

/// Position of the next '{' at or after `from` that plausibly opens an event: an opening brace after a comma or '[',
/// followed by one of the keys that events begin with. In valid JSON no such place lies inside a string (it contains a
/// bare quote), only inside arrays of objects nested in an event. npos when there is none.
size_t findEventStart(std::string_view text, size_t from);
/// The last such place before `before`.
size_t findLastEventStart(std::string_view text, size_t before);
/// Position after the ']' that plausibly closes the event list at or after `from`: "} ]" followed by a key, '}' or the
/// end.
size_t findEventListEnd(std::string_view text, size_t from);

/// Where the JSON value that begins at `at` ends (one past it), by matching quotes and brackets; npos when the text or
/// `limit` bytes end first. Does not validate.
size_t endOfJsonValue(std::string_view text, size_t at, size_t limit);

/// What is open at `to` of the value that begins at `at`: '{', '[', '"' for a string, or 0 when it is over.
char openBracketAt(std::string_view text, size_t at, size_t to);

} // namespace riffle
