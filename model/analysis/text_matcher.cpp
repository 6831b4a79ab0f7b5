// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/text_matcher.h"

#include <array>
#include <cstring>
#include <memory>
#include <regex>

namespace riffle {

namespace {

constexpr size_t kRegexBytes = 2048;

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

/// `needle` is in lower case and not empty.
bool containsFolded(std::string_view text, std::string_view needle)
{
    if (text.size() < needle.size())
        return false;
    const char small = needle.front();
    const char large = upper(small);
    const char *at = text.data();
    const char *const last = text.data() + (text.size() - needle.size());
    for (; at <= last; ++at) {
        if (*at != small && *at != large)
            continue;
        size_t matched = 1;
        while (matched < needle.size() && lower(at[matched]) == needle[matched])
            ++matched;
        if (matched == needle.size())
            return true;
    }
    return false;
}

} // namespace

TextMatcher substringMatcher(std::string needle, bool caseSensitive)
{
    if (needle.empty())
        return [](std::string_view) { return false; };
    if (caseSensitive)
        return [needle = std::move(needle)](std::string_view text) { return text.find(needle) != text.npos; };
    for (char &c : needle)
        c = lower(c);
    return [needle = std::move(needle)](std::string_view text) { return containsFolded(text, needle); };
}

Result<TextMatcher> regexMatcher(const std::string &expression, bool caseSensitive)
{
    if (expression.empty())
        return substringMatcher({}, caseSensitive);
    try {
        auto flags = std::regex::ECMAScript | std::regex::optimize | std::regex::nosubs;
        if (!caseSensitive)
            flags |= std::regex::icase;
        const auto compiled = std::make_shared<const std::regex>(expression, flags);
        return TextMatcher([compiled](std::string_view text) {
            text = text.substr(0, kRegexBytes);
            try {
                return std::regex_search(text.begin(), text.end(), *compiled);
            } catch (const std::regex_error &) { // too complex for this text
                return false;
            }
        });
    } catch (const std::regex_error &) {
        return Error{"'" + expression + "' is not a regular expression", {}, {}};
    }
}

} // namespace riffle
