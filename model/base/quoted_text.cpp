// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/quoted_text.h"

#include "model/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace riffle {

namespace {

/// The character after the backslash of a short escape; 0 if there is none.
char shortEscape(char c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\n': return 'n';
    case '\t': return 't';
    case '\r': return 'r';
    default: return 0;
    }
}

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// True if the two bytes at `at` are a control character from U+0080 to U+009F. Terminals obey these like ESC.
bool isLongControl(std::string_view text, size_t at)
{
    return text[at] == '\xC2' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
           static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

bool isSafeInCsv(char c) { return !isControl(c) || c == '\t' || c == '\r' || c == '\n'; }

} // namespace

void appendJsonString(std::string &out, std::string_view text)
{
    out += '"';
    size_t plain = 0; // start of the text that is not yet appended and needs no escape
    for (size_t at = 0; at < text.size();) {
        const char c = text[at], escape = shortEscape(c);
        const size_t length = static_cast<unsigned char>(c) < 0x80 ? 1 : utf8SequenceLength(text, at);
        const bool longControl = isLongControl(text, at);
        if (length && !escape && !isControl(c) && !longControl) {
            at += length;
            continue;
        }
        out.append(text, plain, at - plain);
        at += longControl ? 2 : 1;
        plain = at;
        if (!length)
            out += "\\ufffd";
        else if (longControl)
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(text[at - 1]));
        else if (escape)
            (out += '\\') += escape;
        else
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    }
    out.append(text, plain);
    out += '"';
}

size_t jsonStringBytes(std::string_view text)
{
    size_t bytes = text.size() + 2;
    for (size_t at = 0; at < text.size(); ++at)
        bytes += shortEscape(text[at]) ? 1 : isControl(text[at]) ? 5 : isLongControl(text, at) ? 4 : 0;
    return bytes;
}

std::string jsonString(std::string_view text)
{
    std::string out;
    appendJsonString(out, text);
    return out;
}

std::string jsonList(const std::vector<std::string> &texts)
{
    return jsonList(texts, [](const std::string &text) { return jsonString(text); });
}

std::string csvField(std::string_view text)
{
    const bool isQuoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    if (!isQuoted && std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80 && isSafeInCsv(c); }))
        return std::string(text);
    std::string out(isQuoted, '"');
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        const size_t length = byte < 0x80 ? 1 : utf8SequenceLength(text, at);
        if (isLongControl(text, at))
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[at + 1]));
        else if (!isSafeInCsv(c) || (length == 0 && byte < 0xA0))
            out += fmt::format("\\x{:02x}", byte);
        else if (c == '"')
            out += "\"\"";
        else
            out.append(text, at, std::max<size_t>(length, 1));
        at += std::max<size_t>(length, 1);
    }
    out.append(isQuoted, '"');
    return out;
}

} // namespace riffle
