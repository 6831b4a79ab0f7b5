// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/ranks/rank_rows.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace riffle {

/// One figure of all ranks and steps, for the heat map and the grid.
struct RankFigures {
    std::shared_ptr<const std::vector<int64_t>> values; ///< rank by rank; kNoInt is unknown
    std::vector<int64_t> ofRanks;                       ///< the median of each row of the grid
    int64_t low = 0, high = 0;                          ///< the scale of `values`
    int64_t rankLow = 0, rankHigh = 0;                  ///< the scale of `ofRanks`
    bool isBeyond = false;                              ///< there are values above `high`
    bool isAnyKnown = false;
};

/// Computes a figure, or how much more of it there is than the median of all ranks in the step. Cut, unfinished and far
/// longer first steps do not stretch the scale. For workers.
RankFigures rankFigures(const StepGrid &grid, const StepFigure &figure, bool isDifference);

} // namespace riffle
