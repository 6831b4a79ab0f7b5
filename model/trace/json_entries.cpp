// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/json_entries.h"

#include <simdjson.h>

namespace riffle {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

size_t skipBlanks(std::string_view text, size_t at)
{
    while (at < text.size() && isBlank(text[at]))
        ++at;
    return at;
}

/// Returns the position after the closing quote of the string that starts at \p at, or the end of the text.
size_t endOfString(std::string_view text, size_t at)
{
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return text.size();
}

/// Returns the position after the value that starts at \p at: brackets are matched outside strings, other values end
/// before , } or ].
size_t endOfValue(std::string_view text, size_t at)
{
    int depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = endOfString(text, at);
            if (depth == 0)
                return at;
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']') {
            if (depth == 0)
                return at;
            if (--depth == 0)
                return at + 1;
        } else if (c == ',' && depth == 0) {
            return at;
        }
        ++at;
    }
    return at;
}

std::string_view withoutTrailingBlanks(std::string_view text)
{
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Calls entry(rawKeyWithQuotes, rawValue) for each entry of the object until it returns false.
template <typename F>
void forEachEntry(std::string_view object, F entry)
{
    size_t at = skipBlanks(object, 0);
    if (at >= object.size() || object[at] != '{')
        return;
    ++at;
    while (true) {
        at = skipBlanks(object, at);
        if (at < object.size() && object[at] == ',') {
            ++at;
            continue;
        }
        if (at >= object.size() || object[at] != '"')
            return;
        const size_t keyEnd = endOfString(object, at);
        const std::string_view key = object.substr(at, keyEnd - at);
        at = skipBlanks(object, keyEnd);
        if (at >= object.size() || object[at] != ':')
            return;
        at = skipBlanks(object, at + 1);
        const size_t end = endOfValue(object, at);
        if (!entry(key, withoutTrailingBlanks(object.substr(at, end - at))))
            return;
        at = end;
    }
}

} // namespace

std::string argsText(std::string_view eventText)
{
    std::string found;
    forEachEntry(eventText, [&](std::string_view key, std::string_view value) {
        if (key == "\"args\"")
            found = value; // if the key occurs twice, the last one counts
        return true;
    });
    if (!found.empty())
        return found;
    // In a damaged event, the walk may stop before `args`; then use the last place that looks like it.
    const size_t key = eventText.rfind("\"args\"");
    if (key == std::string_view::npos)
        return found;
    size_t at = skipBlanks(eventText, key + 6);
    if (at >= eventText.size() || eventText[at] != ':')
        return found;
    at = skipBlanks(eventText, at + 1);
    if (at < eventText.size() && eventText[at] == '{')
        found = withoutTrailingBlanks(eventText.substr(at, endOfValue(eventText, at) - at));
    return found;
}

std::vector<JsonEntry> entriesOf(std::string_view objectText)
{
    std::vector<JsonEntry> entries;
    forEachEntry(objectText, [&](std::string_view key, std::string_view value) {
        entries.push_back({plainText(key), std::string(value)});
        return true;
    });
    return entries;
}

std::string plainText(std::string_view rawValue)
{
    if (rawValue.size() < 2 || rawValue.front() != '"' || rawValue.back() != '"')
        return std::string(rawValue);
    const std::string_view inner = rawValue.substr(1, rawValue.size() - 2);
    if (inner.find('\\') == std::string_view::npos)
        return std::string(inner);
    simdjson::dom::parser parser;
    std::string_view text;
    const simdjson::padded_string padded(rawValue);
    if (parser.parse(padded).get_string().get(text) == simdjson::SUCCESS)
        return std::string(text);
    return std::string(inner);
}

} // namespace riffle
