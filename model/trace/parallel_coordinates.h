// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Which part of a parallel job a rank is, along one axis.
struct ParallelCoordinate {
    std::string axis; ///< "dp", "tp", "pp", "ep", "cp", ...
    uint32_t index = 0;
    bool operator==(const ParallelCoordinate &) const = default;
};

/// Returns the coordinates that the path of a trace tells, in the order of the name, as in "rank0_dp0_tp1/trace.json"
/// or "worker-DP-0-TP-1.json". They are in the name of the file, otherwise in the name of the nearest folder that also
/// tells a rank. A file's name that tells no rank must separate axes and numbers: "llama_tp8" says how many ranks there
/// are. An axis that a name gives two numbers is left out.
std::vector<ParallelCoordinate> coordinatesInName(std::string_view path);

/// "dp 0, tp 1"; empty if there are none.
std::string coordinatesText(const std::vector<ParallelCoordinate> &coordinates);

} // namespace riffle
