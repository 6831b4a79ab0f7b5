// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/alive/memory_tree.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// Two trees of the same grouping, merged into one. Two nodes match if their names and the names of all their ancestors
/// are equal. The order is pre-order; among siblings the largest change comes first, and equal changes are sorted by
/// name.
struct MemoryDifference {
    enum class State : uint8_t { New, Gone, Grown, Shrunk, Unchanged };
    struct Side {
        std::vector<int64_t> bytes, counts; ///< 0 if the node is not on this side
    };

    std::vector<std::string> names, shorts;
    std::vector<uint32_t> depth, parents;
    Side before, after;
    std::vector<int64_t> change; ///< in bytes
    std::vector<State> state;    ///< New or Gone if the node is on one side only; otherwise depends on the bytes
    std::vector<int64_t> weight; ///< the largest change among the node and all its descendants

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
};

/// `by` is the grouping of both trees. By place, the folders of files do not count, so that the same program in another
/// folder matches.
MemoryDifference memoryDifference(const MemoryTree &before, const MemoryTree &after,
                                  MemoryGrouping by = MemoryGrouping::Stack);

/// "new", "gone", "grown", "shrunk", "unchanged"
std::string_view memoryChangeWord(MemoryDifference::State state);

ResultTable memoryDifferenceTable(const MemoryDifference &difference, MemoryGrouping by);

} // namespace riffle
