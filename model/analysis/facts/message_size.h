// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The amount of data that a collective moves (DEFINITIONS R10). Names are values of the arguments "Collective name"
/// and "dtype"; case is ignored.
namespace riffle {

/// The bytes of an element: "Float" 4, "BFloat16" 2, "Float8_e4m3fn" 1 …; empty for an unknown type.
std::optional<int64_t> elementBytes(std::string_view dataType);

/// The bytes of the whole message: the output of a rank for an all-gather, its input for any other collective. Empty
/// for operations that move nothing ("wait", "init"), negative counts (such as kNoInt, if not recorded), unknown types
/// and results that do not fit into 64 bits.
std::optional<int64_t> messageBytes(std::string_view collective, int64_t inElements, int64_t outElements,
                                    std::string_view dataType);

} // namespace riffle
