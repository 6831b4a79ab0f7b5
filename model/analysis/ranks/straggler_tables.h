// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/match_tables.h"
#include "model/analysis/ranks/stragglers.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Who waits for whom in the loaded traces of a set, of which each is one rank.
struct StragglerSet {
    const MatchedSet &matched;           ///< must outlive this
    std::vector<RankTimeline> timelines; ///< by trace
    StragglerReport report;

    explicit StragglerSet(const MatchedSet &matched);
    /// "rank 3", or how else the trace is titled.
    std::string title(uint32_t index) const;
};

/// The answer in whole sentences: who is waited for, what it costs, and what limits the answer.
std::vector<std::string> stragglerSentences(const StragglerSet &set);

/// A table about stragglers.
struct StragglerView {
    const char *word; ///< the name for --view
    const char *title;
    ResultTable (*make)(const StragglerSet &set);
};
std::span<const StragglerView> stragglerViews();
/// Null if there is no such view.
const StragglerView *findStragglerView(std::string_view word);
/// Makes a table, with a sentence instead of rows if there is nothing to compare.
ResultTable stragglerTable(const StragglerView &view, const StragglerSet &set);

} // namespace riffle
