// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// Which Python stacks are recorded; the numbers are those of riffle_wishes.
enum class StacksWay : uint8_t {
    None = 0,
    Operators = 1, ///< at the start of each outermost operator
    Sampled = 2,   ///< of all threads, at regular times
    Calls = 3      ///< every Python call, as a range
};

inline constexpr const char *kStacksWays = "operators, sampled or calls"; ///< for sentences

constexpr std::string_view nameOf(StacksWay way)
{
    switch (way) {
    case StacksWay::Operators: return "operators";
    case StacksWay::Sampled: return "sampled";
    case StacksWay::Calls: return "calls";
    default: return "0";
    }
}

/// The way of that name; 0 is none and 1 stands for operators.
constexpr std::optional<StacksWay> stacksWayOf(std::string_view name)
{
    for (const StacksWay way : {StacksWay::None, StacksWay::Operators, StacksWay::Sampled, StacksWay::Calls})
        if (name == nameOf(way))
            return way;
    return name == "1" ? std::optional(StacksWay::Operators) : std::nullopt;
}

} // namespace riffle
