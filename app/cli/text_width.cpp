// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_width.h"

#include <algorithm>

namespace riffle::cli {

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

} // namespace riffle::cli
