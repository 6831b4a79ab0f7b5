// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/tail_log.h"
#include "model/analysis/summary/settled_figures.h"

#include <cstdint>
#include <optional>
#include <string>

namespace riffle::cli {

/// A line of `riffle tail` about a log. Times are Unix times in ns; what is not known is missing or kNoInt.
struct TailLine {
    std::string path;
    std::optional<int64_t> rank;
    int pid = 0;
    TailState state = TailState::Reading;
    int64_t silentSeconds = 0;
    std::optional<int64_t> time; ///< now; of a log that is over, the end of its recording
    SettledFigures figures;
    std::optional<int64_t> asOf; ///< up to when the figures are
    bool areFiguresOld = false;  ///< they were made of an earlier generation than the rest
    uint64_t dropped = 0;
    std::optional<int64_t> lagNs; ///< from the settled mark to now; missing when the log is over
};

/// The names of the columns.
std::string tailHeader();
/// At most 100 columns of a terminal, without a line end. `isOnlyOne` is false if several logs have this rank.
std::string tailText(const TailLine &line, bool isOnlyOne);
/// An object of JSON on one line.
std::string tailJson(const TailLine &line);

} // namespace riffle::cli
