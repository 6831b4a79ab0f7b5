// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// What operators took, by rows of any grouping (R7). All times in ns.
struct OperatorTimes {
    struct Row {
        uint64_t calls = 0;                 ///< that start inside what is asked about
        uint64_t cut = 0;                   ///< that reach over its edges
        Ns hostSelf = 0;                    ///< without the operators and runtime calls directly inside
        Ns hostTotal = 0;                   ///< an instance inside another one of the row is not counted again
        Ns deviceSelf = 0, deviceTotal = 0; ///< sums over the device work
        Ns deviceSelfUnion = 0, deviceTotalUnion = 0; ///< how long any of it ran
        Ns tensorSelf = 0, tensorTotal = 0;           ///< the part of the sums that kernels on tensor cores took
        Ns tensorUnknown = 0;                         ///< the part of deviceTotal of which that cannot be told
        uint32_t longest = UINT32_MAX;                ///< SliceId of the longest instance
        Ns longestDuration = -1;
    };
    std::vector<Row> rows;
    uint64_t workWithout = 0; ///< device work that belongs to no operator
    Ns timeWithout = 0;       ///< its summed duration
};

/// Which row each operator belongs to; CallTree::kNone leaves it out. By call number, runtime calls included.
struct OperatorGroups {
    std::vector<uint32_t> rowOfCall;
    uint32_t rows = 0;
};

OperatorTimes operatorTimes(const Scope &scope, const OperatorGroups &groups);

} // namespace riffle
