// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The times of operators in rows of any grouping (R7). All times are in ns.
struct OperatorTimes {
    struct Row {
        uint64_t calls = 0;                           ///< calls that start inside the scope
        uint64_t cut = 0;                             ///< calls that extend beyond the scope
        Ns hostSelf = 0;                              ///< without the operators and runtime calls directly inside
        Ns hostTotal = 0;                             ///< a call inside another call of the row is not counted again
        Ns deviceSelf = 0, deviceTotal = 0;           ///< sums over the device work
        Ns deviceSelfUnion = 0, deviceTotalUnion = 0; ///< times in which any of the device work ran
        Ns tensorSelf = 0, tensorTotal = 0;           ///< the parts of the sums that kernels on tensor cores took
        Ns tensorUnknown = 0;                         ///< the part of deviceTotal for which that is unknown
        uint32_t longest = UINT32_MAX;                ///< the longest call, or CallTree::kNone
        Ns longestDuration = -1;
    };
    std::vector<Row> rows;
    uint64_t workWithout = 0; ///< device work that belongs to no operator
    Ns timeWithout = 0;       ///< its summed duration
};

/// The row of each operator, by call number (runtime calls included); CallTree::kNone leaves a call out.
struct OperatorGroups {
    BigVector<uint32_t> rowOfCall;
    uint32_t rows = 0;
};

OperatorTimes operatorTimes(const Scope &scope, const OperatorGroups &groups);

} // namespace riffle
