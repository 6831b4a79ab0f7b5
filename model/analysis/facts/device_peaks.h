// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/kernel_traits.h"

#include <optional>
#include <string_view>

namespace riffle {

/// What a device can compute in a second when it multiplies matrices of that type, in FLOP/s (integers: operations):
/// the vendor's public figures for dense matrices, sums of 16-bit and 8-bit products in fp32, at the highest clock.
/// None for devices that are not known for certain: parts of one (MIG), laptop and other variants, and types that it
/// has no instructions for. Of a card with two dies that are two devices to PyTorch (MI250X) it is one of them.
std::optional<double> peakFlops(std::string_view deviceName, ComputeType type);

} // namespace riffle
