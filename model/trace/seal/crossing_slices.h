// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Returns, for every two slices that overlap without one containing the other, the index of the shorter one, or of the
/// later one if they are equally long. The remaining slices nest. Slices must be ordered by start, and of those with
/// the same start, longer ones come first. Slices with a 0 in `counts` are ignored; if `counts` is empty, all slices
/// count. The indices are ascending. O(n) if the slices nest, otherwise O(n log n).
std::vector<uint32_t> crossingSlices(std::span<const Ns> start, std::span<const Ns> duration,
                                     std::span<const uint8_t> counts);

} // namespace riffle
