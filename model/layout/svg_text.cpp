// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/svg_text.h"

#include <algorithm>
#include <cstddef>

namespace riffle {

uint32_t inkOn(uint32_t colour)
{
    const double light = 0.299 * (colour >> 16 & 0xFF) + 0.587 * (colour >> 8 & 0xFF) + 0.114 * (colour & 0xFF);
    constexpr double kHalf = 128;
    return light > kHalf ? 0x000000 : 0xFFFFFF;
}

std::string fittedText(const std::string &name, double room)
{
    const auto most = static_cast<size_t>(std::max(0.0, room / kSvgCharacter));
    size_t characters = 0, end = 0, cut = 0;
    while (end < name.size()) {
        do
            ++end;
        while (end < name.size() && (name[end] & 0xC0) == 0x80);
        if (++characters + 1 == most)
            cut = end;
    }
    constexpr size_t kLeast = 3;
    return characters <= most ? name : most < kLeast ? std::string() : name.substr(0, cut) + "…";
}

} // namespace riffle
