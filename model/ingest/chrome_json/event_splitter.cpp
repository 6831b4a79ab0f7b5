// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_splitter.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace riffle {

namespace {

/// True if the brace at \p at is followed by one of the keys that writers put first, and a colon.
bool beginsLikeEvent(std::string_view text, size_t at)
{
    static constexpr std::string_view kFirstKeys[] = {"ph", "name", "cat",  "pid", "tid",   "ts", "dur",
                                                      "id", "s",    "args", "bp",  "cname", "tts"};
    size_t key = skipJsonBlanks(text, at + 1);
    if (key >= text.size() || text[key] != '"')
        return false;
    ++key;
    for (const std::string_view first : kFirstKeys) {
        if (text.substr(key).starts_with(first) && key + first.size() < text.size() &&
            text[key + first.size()] == '"') {
            const size_t colon = skipJsonBlanks(text, key + first.size() + 1);
            return colon < text.size() && text[colon] == ':';
        }
    }
    return false;
}

bool followsSeparator(std::string_view text, size_t at)
{
    while (at > 0 && isJsonBlank(text[at - 1]))
        --at;
    // A '}' comes before the brace if the file has one object per line, without commas.
    return at > 0 && (text[at - 1] == ',' || text[at - 1] == '[' || text[at - 1] == '}');
}

} // namespace

size_t skipJsonBlanks(std::string_view text, size_t at)
{
    while (at < text.size() && isJsonBlank(text[at]))
        ++at;
    return at;
}

size_t findEventStart(std::string_view text, size_t from)
{
    while (from < text.size()) {
        const void *found = std::memchr(text.data() + from, '{', text.size() - from);
        if (!found)
            return std::string_view::npos;
        from = static_cast<size_t>(static_cast<const char *>(found) - text.data());
        if (followsSeparator(text, from) && beginsLikeEvent(text, from))
            return from;
        ++from;
    }
    return std::string_view::npos;
}

size_t findLastEventStart(std::string_view text, size_t before)
{
    before = std::min(before, text.size());
    while (before > 0) {
        const size_t found = text.rfind('{', before - 1);
        if (found == std::string_view::npos)
            return std::string_view::npos;
        if (followsSeparator(text, found) && beginsLikeEvent(text, found))
            return found;
        before = found;
    }
    return std::string_view::npos;
}

size_t findEventListEnd(std::string_view text, size_t from)
{
    while (from < text.size()) {
        const void *found = std::memchr(text.data() + from, ']', text.size() - from);
        if (!found)
            return std::string_view::npos;
        from = static_cast<size_t>(static_cast<const char *>(found) - text.data());
        size_t before = from;
        while (before > 0 && isJsonBlank(text[before - 1]))
            --before;
        ++from;
        if (before == 0 || text[before - 1] != '}')
            continue;
        size_t next = skipJsonBlanks(text, from);
        if (next == text.size() || text[next] == '}')
            return from;
        if (text[next] != ',')
            continue;
        next = skipJsonBlanks(text, next + 1);
        if (next < text.size() && text[next] == '"') {
            const size_t quote = text.find('"', next + 1);
            const size_t colon =
                quote == std::string_view::npos ? std::string_view::npos : skipJsonBlanks(text, quote + 1);
            if (colon != std::string_view::npos && colon < text.size() && text[colon] == ':')
                return from;
        }
    }
    return std::string_view::npos;
}

size_t endOfJsonValue(std::string_view text, size_t at, size_t limit)
{
    const size_t stop = std::min(text.size(), limit > text.size() - at ? text.size() : at + limit);
    size_t depth = 0;
    while (at < stop) {
        const char c = text[at];
        if (c == '"') {
            // Find the next quote with memchr, then check whether it is escaped.
            size_t from = at + 1;
            while (true) {
                const void *found = from < stop ? std::memchr(text.data() + from, '"', stop - from) : nullptr;
                if (!found)
                    return std::string_view::npos;
                const auto quote = static_cast<size_t>(static_cast<const char *>(found) - text.data());
                size_t slashes = 0;
                while (quote - slashes > at + 1 && text[quote - slashes - 1] == '\\')
                    ++slashes;
                from = quote + 1;
                if (slashes % 2 == 0)
                    break;
            }
            at = from;
            if (depth == 0)
                return at;
            continue;
        }
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return at;
            if (--depth == 0)
                return at + 1;
        } else if (depth == 0 && (c == ',' || isJsonBlank(c))) {
            return at;
        }
        ++at;
    }
    return depth == 0 && stop == text.size() ? stop : std::string_view::npos;
}

char openBracketAt(std::string_view text, size_t at, size_t to)
{
    std::string open;
    while (at < to) {
        const char c = text[at];
        if (c == '"') {
            at = endOfJsonValue(text.substr(0, to), at, to);
            if (at == std::string_view::npos)
                return '"';
            continue;
        }
        if (c == '{' || c == '[')
            open += c;
        else if ((c == '}' || c == ']') && !open.empty())
            open.pop_back();
        if (open.empty())
            return 0;
        ++at;
    }
    return open.empty() ? '\0' : open.back();
}

} // namespace riffle
