// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/utf8.h"

namespace riffle {

namespace {

struct Lead {
    size_t length = 0;
    unsigned char low = 0x80, high = 0xBF; ///< the valid range of the second byte
};

Lead leadOf(unsigned char byte)
{
    if (byte < 0x80)
        return {1};
    if (byte < 0xC2)
        return {};
    if (byte < 0xE0)
        return {2};
    if (byte < 0xF0)
        return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
                static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
    if (byte < 0xF5)
        return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
                static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
    return {};
}

} // namespace

size_t utf8SequenceLength(std::string_view text, size_t at)
{
    if (at >= text.size())
        return 0;
    const Lead lead = leadOf(static_cast<unsigned char>(text[at]));
    if (lead.length > text.size() - at)
        return 0;
    for (size_t i = 1; i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if (byte < (i == 1 ? lead.low : 0x80) || byte > (i == 1 ? lead.high : 0xBF))
            return 0;
    }
    return lead.length;
}

bool isUtf8(std::string_view text)
{
    for (size_t at = 0; at < text.size();) {
        const size_t length = utf8SequenceLength(text, at);
        if (!length)
            return false;
        at += length;
    }
    return true;
}

std::string validUtf8(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t length = utf8SequenceLength(text, at);
        if (length)
            out.append(text, at, length);
        else
            out += "\xEF\xBF\xBD";
        at += length ? length : 1;
    }
    return out;
}

std::string shortened(std::string_view text, size_t most)
{
    if (text.size() <= most)
        return std::string(text);
    while (most > 0 && (static_cast<uint8_t>(text[most]) & 0xC0) == 0x80)
        --most;
    return std::string(text.substr(0, most)) + "…";
}

} // namespace riffle
