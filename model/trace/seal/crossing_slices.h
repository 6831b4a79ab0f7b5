// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Of every two slices that overlap without one containing the other: the shorter, or the later when they are equally
/// long. What is not among them nests. Slices come ordered by (start, longer first); `counts` leaves out those that are
/// 0 there, empty: none. The indices are ascending. O(n) when slices nest, else O(n log n).
std::vector<uint32_t> crossingSlices(std::span<const Ns> start, std::span<const Ns> duration,
                                     std::span<const uint8_t> counts);

} // namespace riffle
