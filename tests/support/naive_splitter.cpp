// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/naive_splitter.h"

#include <algorithm>
#include <set>
#include <string>

namespace riffle::test {

namespace {

constexpr size_t kNone = std::string_view::npos;

bool isBlank(char c) { return std::string_view(" \n\t\r").find(c) != kNone; }

/// The next non-blank at or after `at`; 0 at the end.
char after(std::string_view text, size_t &at)
{
    while (at < text.size() && isBlank(text[at]))
        ++at;
    return at < text.size() ? text[at] : '\0';
}

/// The last non-blank before `at`; 0 if there is none.
char before(std::string_view text, size_t at)
{
    while (at > 0 && isBlank(text[at - 1]))
        --at;
    return at > 0 ? text[at - 1] : '\0';
}

/// The text up to the next quote if it is a key, that is, if a colon follows the quote.
std::optional<std::string> keyAt(std::string_view text, size_t at)
{
    if (after(text, at) != '"')
        return std::nullopt;
    std::string key;
    for (++at; at < text.size() && text[at] != '"'; ++at)
        key += text[at];
    if (at++ >= text.size() || after(text, at) != ':')
        return std::nullopt;
    return key;
}

} // namespace

bool isEventStart(std::string_view text, size_t at)
{
    static const std::set<std::string> keys = {"ph", "name", "cat",  "pid", "tid",   "ts", "dur",
                                               "id", "s",    "args", "bp",  "cname", "tts"};
    if (at >= text.size() || text[at] != '{')
        return false;
    const char separator = before(text, at);
    if (separator != ',' && separator != '[' && separator != '}')
        return false;
    const std::optional<std::string> key = keyAt(text, at + 1);
    return key && keys.contains(*key);
}

size_t naiveEventStart(std::string_view text, size_t from)
{
    for (; from < text.size(); ++from)
        if (isEventStart(text, from))
            return from;
    return kNone;
}

size_t naiveLastEventStart(std::string_view text, size_t before)
{
    for (size_t at = std::min(before, text.size()); at > 0; --at)
        if (isEventStart(text, at - 1))
            return at - 1;
    return kNone;
}

size_t naiveListEnd(std::string_view text, size_t from)
{
    for (; from < text.size(); ++from) {
        if (text[from] != ']' || before(text, from) != '}')
            continue;
        size_t next = from + 1;
        const char c = after(text, next);
        if (next == text.size() || c == '}' || (c == ',' && keyAt(text, next + 1)))
            return from + 1;
    }
    return kNone;
}

std::optional<size_t> naiveValueEnd(std::string_view text, size_t at, size_t limit)
{
    const size_t stop = limit < text.size() - at ? at + limit : text.size();
    size_t depth = 0;
    bool inString = false, escaped = false;
    for (; at < stop; ++at) {
        const char c = text[at];
        if (inString) {
            if (escaped)
                escaped = false;
            else if (c == '\\')
                escaped = true;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
        if (!inString && depth == 0)
            return at + 1;
    }
    return std::nullopt;
}

} // namespace riffle::test
