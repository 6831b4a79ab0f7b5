// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace riffle {

/// The value that means "none" in a column of plain row numbers.
inline constexpr uint32_t kNoRow = UINT32_MAX;

/// A 32-bit row number that cannot be mixed up with one of another table. All bits set means "none".
template <typename Tag>
struct Id {
    static constexpr uint32_t kNone = kNoRow;
    uint32_t value = kNone;

    constexpr Id() = default;
    constexpr explicit Id(uint32_t row) : value(row) {}
    constexpr bool valid() const { return value != kNone; }
    constexpr auto operator<=>(const Id &) const = default;
};

using StringId = Id<struct StringTag>;
/// Names a member of a trace set. It never changes and is never used again while the set is open.
using TraceId = Id<struct TraceTag>;
using LaneId = Id<struct LaneTag>;
using ProcessId = Id<struct ProcessTag>;
using SliceId = Id<struct SliceTag>;
using InstantId = Id<struct InstantTag>;

} // namespace riffle

template <typename Tag>
struct std::hash<riffle::Id<Tag>> {
    size_t operator()(riffle::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value); }
};
