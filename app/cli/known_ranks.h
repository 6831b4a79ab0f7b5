// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "model/analysis/ranks/run_steps.h"

#include <functional>
#include <string>
#include <vector>

namespace riffle::cli {

/// The small facts about several ranks.
struct InputRanks {
    std::vector<KnownRank> ranks;
    /// Stores what was read last for the next time, to be called after the output is printed. May be empty.
    std::function<void()> store;
};

/// Returns the facts about the ranks in these files: from the cache if they are there, otherwise made from the traces,
/// of which only one is in memory at a time, and cached. `code` is set if there are errors or losses. If a trace cannot
/// be opened, prints the error and returns no ranks.
InputRanks knownRanks(const std::vector<std::string> &paths, const OpenOptions &options, int &code);

} // namespace riffle::cli
