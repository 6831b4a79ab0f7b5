// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/per_slice.h"

#include <memory>
#include <span>

namespace riffle {

/// The property of a slice that its colour shows.
enum class ColourMode : uint8_t {
    Class, ///< the kind of work; the name in traces that are not of machine learning
    Name,
    Lane,      ///< the stream or thread
    Step,      ///< the step in which it starts or, for device work, was launched
    Duration,  ///< its order of magnitude
    Annotation ///< the innermost annotation around it or, for device work, around its launch
};

/// The orders of magnitude that colours tell apart: under 1 µs, under 10 µs … under 10 ms, and longer.
inline constexpr size_t kDurationTints = 6;
size_t durationTint(Ns duration);
/// "under 10 µs"
const char *durationTintTitle(size_t tint);

/// For each slice, a number that stands for the property: that of slices with the same property is the same. Duration
/// has numbers below kDurationTints; the others have those of nameColours() (model/layout/colours.h), and kNoTint for
/// slices without the property. Class and Name have no tints. `steps` are those of the trace, ascending.
inline constexpr uint8_t kNoTint = 0xff;
using SliceTints = PerSlice<uint8_t>;
SliceTints sliceTints(const Trace &trace, ColourMode mode, std::span<const Step> steps, size_t tints);

} // namespace riffle
