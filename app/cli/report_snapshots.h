// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/memory/snapshot_opening.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

/// A self-contained HTML page about memory snapshots, with one part per snapshot and tables of at most `limit` rows
/// (all of them if it is 0): the verdict, and for each device its memory over time, what was alive at the peak or
/// at the first failure, and the state of its allocator. Raises `code` and prints the reason if there are losses.
/// Nothing if a snapshot cannot be read, or if the page would be incomplete.
std::optional<std::string> snapshotsPage(const std::vector<std::string> &paths, size_t limit, const StoreUse &use,
                                         int &code);

} // namespace riffle::cli
