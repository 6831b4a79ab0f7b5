// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/compared_side.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

/// One trace of a side.
struct RankOfSide {
    TraceId trace;
    int64_t rank = 0; ///< as recorded; if none of the side's traces recorded one, its place among them
    std::string path;
};

/// One side of a comparison: what the user asked for, and the traces that were read for it.
struct DiffSide {
    std::string label, path;
    std::string name; ///< what the path is called in the answer
    SideRequest request;
    std::optional<int64_t> rank; ///< the rank to compare, if the user chose one
    std::vector<RankOfSide> traces;
    bool recordsRanks = false; ///< false if the ranks of the traces are only their places

    ComparedSide compared;
    int64_t chosenRank = 0;
    std::string description; ///< the name, the rank if there are several, and the part
    Ns medianStep = 0;       ///< of two runs, the longest of the median steps of its ranks; 0 if it has no steps
};
using DiffSides = std::array<DiffSide, 2>;

/// Chooses one trace of each side, and the part of it that is compared. If both sides have several ranks, these are
/// the same rank of both: of those that both have with the chosen part, the one whose median step in B is the longest.
/// Returns sentences about this choice, empty if there was none. An Error says what the user has to choose.
Result<std::string> chooseSides(const SetFacts &facts, DiffSides &sides);

} // namespace riffle::cli
