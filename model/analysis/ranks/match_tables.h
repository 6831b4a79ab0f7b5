// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/matched_set.h"
#include "model/analysis/table/result_table.h"

#include <span>
#include <string_view>

namespace riffle {

/// A table about matched calls.
struct MatchView {
    const char *word; ///< the name for --view
    const char *title;
    ResultTable (*make)(const MatchedSet &matched);
};
std::span<const MatchView> matchViews();
/// Null if there is no such view.
const MatchView *findMatchView(std::string_view word);
/// The clocks of the ranks (rank_clocks.h), a row for each.
ResultTable clockTable(const MatchedSet &matched);
/// Makes a table, with a sentence instead of rows if there is nothing to match.
ResultTable matchTable(const MatchView &view, const MatchedSet &matched);

} // namespace riffle
