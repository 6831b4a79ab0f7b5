// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace riffle {

/// The approximate width and line height of 11-pixel letters, for pictures whose fonts are unknown.
inline constexpr double kSvgCharacter = 6.5, kSvgLine = 12;

/// Returns black or white, whichever contrasts more with a colour (0xRRGGBB).
uint32_t inkOn(uint32_t colour);
/// Returns as much of a name as fits into `room` pixels, with an ellipsis; empty if too little would remain.
std::string fittedText(const std::string &name, double room);

} // namespace riffle
