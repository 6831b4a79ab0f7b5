// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_width.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace riffle::cli {

namespace {

/// The first code point of a UTF-8 text, which is valid and not empty.
uint32_t codePointOf(std::string_view text)
{
    const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
    const uint8_t lead = byte(0);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t at = 1; at < length && at < text.size(); ++at)
        code = code << 6 | (byte(at) & 0x3Fu);
    return code;
}

/// The columns of a code point: the blocks of Unicode's East Asian Width W and F, and those of combining marks.
size_t columnsOf(uint32_t code)
{
    constexpr std::pair<uint32_t, uint32_t> kWide[] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},  {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
        {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}};
    constexpr std::pair<uint32_t, uint32_t> kCombining[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F},
                                                            {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    const auto isIn = [&](const auto &blocks) {
        return std::ranges::any_of(blocks, [&](auto block) { return block.first <= code && code <= block.second; });
    };
    return isIn(kWide) ? 2 : isIn(kCombining) ? 0 : 1;
}

} // namespace

size_t lengthOf(std::string_view text)
{
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string firstOf(std::string_view text, size_t characters)
{
    size_t end = 0;
    for (size_t seen = 0; end < text.size(); ++end)
        if ((text[end] & 0xC0) != 0x80 && seen++ == characters)
            break;
    return std::string(text.substr(0, end));
}

size_t widthOf(std::string_view text)
{
    size_t columns = 0;
    for (size_t at = 0; at < text.size(); ++at)
        if ((text[at] & 0xC0) != 0x80)
            columns += columnsOf(codePointOf(text.substr(at)));
    return columns;
}

std::string endWithin(std::string_view text, size_t columns)
{
    if (widthOf(text) <= columns)
        return std::string(text);
    size_t start = 0;
    while (start < text.size() && ((text[start] & 0xC0) == 0x80 || widthOf(text.substr(start)) + 1 > columns))
        ++start;
    return "…" + std::string(text.substr(start));
}

} // namespace riffle::cli
