// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/kernel_traits.h"

#include <optional>
#include <string_view>

namespace riffle {

/// The peak throughput of a device for matrix products of a type, in FLOP/s (for integers, operations per second): the
/// vendor's public figures for dense matrices at the highest clock, with 16-bit and 8-bit products summed in fp32. The
/// result is empty for devices that cannot be identified with certainty, such as parts of a device (MIG), laptops and
/// other variants, and for types that the device has no instructions for. If a card has two dies that PyTorch treats as
/// two devices (MI250X), this is the peak of one of them.
std::optional<double> peakFlops(std::string_view deviceName, ComputeType type);

} // namespace riffle
