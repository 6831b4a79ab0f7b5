// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace riffle {

/// A colour (0xRRGGBB) in its two editions, which have the same hue.
struct ColourPair {
    uint32_t light = 0; ///< on light backgrounds
    uint32_t dark = 0;  ///< on dark backgrounds
};

/// The background of a document, and its text.
inline constexpr ColourPair kPageColour{0xffffff, 0x14181d}, kPageInk{0x1d252d, 0xe4e9ee};

/// The colours of slices and other named things, the same in the window and in documents. Neighbours also differ in
/// lightness, so they can be distinguished without colour vision.
std::span<const ColourPair> nameColours();
/// The row of nameColours() for a name; the same for all names that differ only in digits at their end, so all steps
/// have one colour.
uint8_t nameColour(std::string_view name);

/// The colours of the series of charts, in their order: the parts of a step, the lines of a diagram. They have a
/// contrast of at least 3 to the background.
std::span<const ColourPair> seriesColours();

} // namespace riffle
