// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/shown_text.h"

#include "model/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

namespace {

/// Returns the code point of a well-formed UTF-8 sequence of two or three bytes; 0 for sequences of other lengths,
/// which are harmless.
uint32_t codeOf(std::string_view sequence)
{
    const auto bits = [&](size_t at) { return static_cast<uint32_t>(static_cast<unsigned char>(sequence[at])); };
    if (sequence.size() == 2)
        return (bits(0) & 0x1F) << 6 | (bits(1) & 0x3F);
    return sequence.size() == 3 ? (bits(0) & 0x0F) << 12 | (bits(1) & 0x3F) << 6 | (bits(2) & 0x3F) : 0;
}

bool isHarmful(uint32_t code)
{
    const bool isControl = code >= 0x80 && code <= 0x9F;
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    const bool isNoCharacter = code == 0xFFFE || code == 0xFFFF; // XML cannot represent them
    return isControl || turns || isNoCharacter || code == 0x2028 || code == 0x2029;
}

} // namespace

std::string shownText(std::string_view text)
{
    if (std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c < 0x7F) || c == '\n'; }))
        return std::string(text);
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t length = utf8SequenceLength(text, at);
        const auto byte = static_cast<unsigned char>(text[at]);
        if (length == 0 || (byte < ' ' && byte != '\n') || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else if (const std::string_view sequence = text.substr(at, length); isHarmful(codeOf(sequence)))
            out += fmt::format("\\u{:04x}", codeOf(sequence));
        else
            out += sequence;
        at += length ? length : 1;
    }
    return out;
}

} // namespace riffle
