// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/matched_calls.h"
#include "model/analysis/ranks/rank_clocks.h"
#include "model/analysis/summary/summary.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The matched calls of the loaded traces of a set, of which each should be one rank.
struct MatchedSet {
    const SetFacts *facts = nullptr;
    std::vector<CallList> lists; ///< by trace
    std::vector<TraceId> traces; ///< parallel
    /// Parallel: the rank that the trace recorded, otherwise that of its path if no other trace has the same.
    std::vector<std::optional<int64_t>> ranks;
    MatchedCalls calls; ///< matches that the clocks reject are ambiguous
    RankClocks clocks;

    explicit MatchedSet(const SetFacts &facts);
    size_t size() const { return lists.size(); }
    /// True if ranks do not tell the traces apart, because one has none or two have the same. Tables show titles then.
    bool needsTitles() const;
    std::string title(size_t list) const { return facts->set().title(traces[list]); }
    /// "0-3, 8, b.json": ranks for messages, and the titles of traces without one.
    std::string rankText(std::span<const uint32_t> some) const;
    /// Whole sentences about doubts that concern all tables.
    std::vector<std::string> notes() const;
};

} // namespace riffle
