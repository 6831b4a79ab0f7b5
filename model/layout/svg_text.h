// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace riffle {

/// Of pictures whose fonts nobody knows: what letters of 11 pixels take, about.
inline constexpr double kSvgCharacter = 6.5, kSvgLine = 12;

/// Black or white, whichever is farther from a colour (0xRRGGBB).
uint32_t inkOn(uint32_t colour);
/// What of a name fits into so many pixels, with an ellipsis; empty when that says nothing.
std::string fittedText(const std::string &name, double room);

} // namespace riffle
