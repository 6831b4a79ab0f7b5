// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// How much a collective moves (DEFINITIONS R10). Names are those of "Collective name" and "dtype", case ignored.
namespace riffle {

/// Bytes of an element: "Float" 4, "BFloat16" 2, "Float8_e4m3fn" 1 …; none for a type that is not known.
std::optional<int64_t> elementBytes(std::string_view dataType);

/// Bytes of the whole message: what a rank gets from an all-gather, and what it gives to anything else. None for what
/// moves nothing ("wait", "init"), counts below zero (kNoInt: not recorded), types that are not known and more than 64
/// bits.
std::optional<int64_t> messageBytes(std::string_view collective, int64_t inElements, int64_t outElements,
                                    std::string_view dataType);

} // namespace riffle
