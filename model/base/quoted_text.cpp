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

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20; }

} // namespace

void appendJsonString(std::string &out, std::string_view text)
{
    out += '"';
    size_t plain = 0; // start of the text that is not yet appended and needs no escape
    for (size_t at = 0; at < text.size();) {
        const char c = text[at], escape = shortEscape(c);
        const size_t length = static_cast<unsigned char>(c) < 0x80 ? 1 : utf8SequenceLength(text, at);
        if (length && !escape && !isControl(c)) {
            at += length;
            continue;
        }
        out.append(text, plain, at - plain);
        plain = ++at;
        if (!length)
            out += "\\ufffd";
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
    for (const char c : text)
        bytes += shortEscape(c) ? 1 : isControl(c) ? 5 : 0;
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
    const auto isUnprintable = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
    };
    const bool isQuoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    if (!isQuoted && std::none_of(text.begin(), text.end(), isUnprintable))
        return std::string(text);
    std::string out(isQuoted, '"');
    for (const char c : text)
        if (isUnprintable(c))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else
            out.append(c == '"' ? 2 : 1, c);
    out.append(isQuoted, '"');
    return out;
}

} // namespace riffle
