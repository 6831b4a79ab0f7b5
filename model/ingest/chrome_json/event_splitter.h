// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace riffle {

inline constexpr size_t kMaxEventBytes = 16u << 20;

inline bool isJsonBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Returns the position of the first non-blank at or after `at`.
size_t skipJsonBlanks(std::string_view text, size_t at);

/// Returns the position of the next '{' at or after `from` that plausibly opens an event: it comes after a comma, '['
/// or '}' and is followed by one of the keys that events start with. In valid JSON, such a position is never inside a
/// string (it would contain a bare quote), only inside arrays of objects nested in an event. npos if there is none.
size_t findEventStart(std::string_view text, size_t from);
/// Returns the last plausible event start before `before`; npos if there is none.
size_t findLastEventStart(std::string_view text, size_t before);
/// Returns the position just after the next ']' at or after `from` that plausibly closes the event list: "} ]" followed
/// by a comma and a key, by '}', or by the end of the text; npos if there is none.
size_t findEventListEnd(std::string_view text, size_t from);

/// Returns the end (one past the last byte) of the JSON value that starts at `at`, found by matching quotes and
/// brackets; npos if the text or `limit` bytes end first. Does not validate.
size_t endOfJsonValue(std::string_view text, size_t at, size_t limit);

/// Returns the innermost bracket or quote that is open at `to` in the value that starts at `at`: '{', '[' or '"'; 0 if
/// the value has ended.
char openBracketAt(std::string_view text, size_t at, size_t to);

} // namespace riffle
