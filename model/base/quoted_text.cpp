// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/quoted_text.h"

#include "model/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        const size_t length = utf8SequenceLength(text, at);
        if (length == 0)
            out += "\\ufffd";
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out.append(text, at, length);
        at += length ? length : 1;
    }
    return out += '"';
}

std::string csvField(std::string_view text)
{
    const auto isControl = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
    };
    const bool isQuoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    if (!isQuoted && std::none_of(text.begin(), text.end(), isControl))
        return std::string(text);
    std::string out(isQuoted, '"');
    for (const char c : text)
        if (isControl(c))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else
            out.append(c == '"' ? 2 : 1, c);
    out.append(isQuoted, '"');
    return out;
}

} // namespace riffle
