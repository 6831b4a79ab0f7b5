// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/wire.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace riffle {

/// The description of a process group's call in a log: the lines of a text, in the order of wire::kCollectiveKeys.
class CollectiveText {
public:
    enum Line {
        Operation,
        DataType,
        Group,
        Description,
        InElements,
        OutElements,
        GroupSize,
        Rank,
        SourceRank,
        DestinationRank,
        InSplit,
        OutSplit,
        Ranks,
        Count
    };
    static_assert(Count == std::size(wire::kCollectiveKeys));
    static constexpr bool isNumber(size_t line) { return line >= InElements && line <= DestinationRank; }

    explicit CollectiveText(std::string_view text);
    /// Empty if nothing is known.
    std::string_view line(size_t line) const { return m_lines[line]; }
    /// wire::kAbsent if the line is not a number.
    int64_t number(size_t line) const;

private:
    std::array<std::string_view, Count> m_lines;
};

} // namespace riffle
