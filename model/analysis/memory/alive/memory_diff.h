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

/// Two trees of the same grouping as one: nodes are the same whose names, and those of all around them, are. Pre-order;
/// of siblings those that changed most come first, equal ones by name.
struct MemoryDifference {
    enum class State : uint8_t { New, Gone, Grown, Shrunk, Unchanged };
    struct Side {
        std::vector<int64_t> bytes, counts; ///< 0 where it is not there
    };

    std::vector<std::string> names, shorts;
    std::vector<uint32_t> depth, parents;
    Side before, after;
    std::vector<int64_t> change; ///< of bytes
    std::vector<State> state;    ///< by bytes; new and gone: by being there
    std::vector<int64_t> weight; ///< the largest change in it, itself among them: no less than that of any node in it

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
};

MemoryDifference memoryDifference(const MemoryTree &before, const MemoryTree &after);

/// "new", "gone", "grown", "shrunk", "unchanged"
std::string_view memoryChangeWord(MemoryDifference::State state);

ResultTable memoryDifferenceTable(const MemoryDifference &difference, MemoryGrouping by);

} // namespace riffle
