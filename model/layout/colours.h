// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/work_class.h"

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

/// The colours of named things, and of slices that have the colour of their name, the same in the window and in
/// documents. Neighbours also differ in lightness, so they can be distinguished without colour vision.
std::span<const ColourPair> nameColours();
/// The row of nameColours() for a name; the same for all names that differ only in digits at their end, so all steps
/// have one colour.
uint8_t nameColour(std::string_view name);

/// The fill of a slice that has the colour of its class, and that of the text on it. A fill of a class is the same in
/// both editions; only slices without a class have two. Fills have a contrast of at least 3 to the background, texts
/// one of at least 4.5 to their fill.
struct ClassFill {
    ColourPair fill, text;
};
/// The number of fills of a class. They differ in lightness only, by at most 3 L* from the fill of its legend.
inline constexpr uint8_t kClassTones = 3;
/// All fills: one for slices without a class, then kClassTones for each class, from dark to light.
std::span<const ClassFill> classFills();
/// The row of classFills() for a slice; its name chooses the tone.
uint8_t classFillRow(WorkClass kind, uint8_t nameColour);
/// The row of classFills() that stands for the whole class, for legends.
uint8_t classFillRow(WorkClass kind);
/// The pattern that a class has besides its fill, if the user wants patterns. Classes of one kind of lane differ.
enum class ClassPattern : uint8_t { Plain, Rising, Falling, Upright, Level, Dots };
ClassPattern patternOf(WorkClass kind);
/// The same for a row of classFills().
ClassPattern patternOfFill(size_t row);
/// True if a pattern has ink at a pixel.
bool isInked(ClassPattern pattern, int x, int y);
/// The hatch over the time in which a device has nothing to do.
inline constexpr ColourPair kIdleHatch{0x8a939f, 0x667180};

/// The colours of the series of charts, in their order: the parts of a step, the lines of a diagram. They have a
/// contrast of at least 3 to the background.
std::span<const ColourPair> seriesColours();

} // namespace riffle
