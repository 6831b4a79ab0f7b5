// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/text_matcher.h"

#include "model/base/ascii.h"

#include <re2/re2.h>
#include <simdjson.h>

#include <memory>

namespace riffle {

namespace {

constexpr int64_t kRegexMemory = 16 << 20;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

/// True if `text` contains `needle`, ignoring ASCII case. `needle` is in lower case and not empty.
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
        while (matched < needle.size() && asciiLower(at[matched]) == needle[matched])
            ++matched;
        if (matched == needle.size())
            return true;
    }
    return false;
}

bool isValidUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

RE2::Options optionsFor(RE2::Options::Encoding encoding, bool caseSensitive)
{
    RE2::Options options;
    options.set_encoding(encoding);
    options.set_case_sensitive(caseSensitive);
    options.set_never_capture(true);
    options.set_max_mem(kRegexMemory);
    options.set_log_errors(false);
    return options;
}

/// An expression, compiled once for UTF-8 and once for any bytes.
class CompiledExpression {
public:
    CompiledExpression(const std::string &expression, bool caseSensitive)
        : m_anyBytes(!isValidUtf8(expression))
        , m_forBytes(expression, optionsFor(RE2::Options::EncodingLatin1, caseSensitive))
        , m_forText(m_anyBytes ? std::string() : expression, optionsFor(RE2::Options::EncodingUTF8, caseSensitive))
    {
    }
    /// The compilation with an error; null if the expression is well-formed.
    const RE2 *faulty() const { return !m_forText.ok() ? &m_forText : !m_forBytes.ok() ? &m_forBytes : nullptr; }
    bool matches(std::string_view text) const
    {
        const RE2 &expression = m_anyBytes || !isValidUtf8(text) ? m_forBytes : m_forText;
        return expression.Match({text.data(), text.size()}, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
    }

private:
    bool m_anyBytes;
    RE2 m_forBytes, m_forText;
};

std::string reasonOf(const RE2 &faulty)
{
    const std::string place = "'" + faulty.error_arg() + "'";
    switch (faulty.error_code()) {
    case RE2::ErrorMissingParen: return "a parenthesis is not closed";
    case RE2::ErrorUnexpectedParen: return "a closing parenthesis has no opening one";
    case RE2::ErrorMissingBracket: return "the bracket in " + place + " is not closed";
    case RE2::ErrorRepeatArgument: return place + " has nothing to repeat";
    case RE2::ErrorRepeatSize: return place + " repeats too many times (at most 1000)";
    case RE2::ErrorTrailingBackslash: return "nothing follows its last backslash";
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadEscape: return place + " is not valid here (look-around and backreferences are not supported)";
    case RE2::ErrorPatternTooLarge: return "it is too large";
    default: return faulty.error();
    }
}

} // namespace

TextMatcher wholeTextMatcher(std::string whole)
{
    for (char &c : whole)
        c = asciiLower(c);
    return [whole = std::move(whole)](std::string_view text) {
        return text.size() == whole.size() && (text.empty() || containsFolded(text, whole));
    };
}

TextMatcher substringMatcher(std::string needle, bool caseSensitive)
{
    if (needle.empty())
        return [](std::string_view) { return false; };
    if (caseSensitive)
        return [needle = std::move(needle)](std::string_view text) { return text.find(needle) != text.npos; };
    for (char &c : needle)
        c = asciiLower(c);
    return [needle = std::move(needle)](std::string_view text) { return containsFolded(text, needle); };
}

Result<TextMatcher> regexMatcher(const std::string &expression, bool caseSensitive)
{
    if (expression.empty())
        return substringMatcher({}, caseSensitive);
    const auto compiled = std::make_shared<const CompiledExpression>(expression, caseSensitive);
    if (const RE2 *faulty = compiled->faulty())
        return Error{"'" + expression + "' is not a regular expression: " + reasonOf(*faulty) + ".", {}, {}};
    return TextMatcher([compiled](std::string_view text) { return compiled->matches(text); });
}

} // namespace riffle
