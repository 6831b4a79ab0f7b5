// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/run/rank_facts.h"

#include <memory>
#include <span>
#include <string>

namespace riffle {

/// The view run-steps of one rank: a row per step and device, with moments in the time of its trace. The rows lead to
/// the marks of the steps in this trace.
ResultTable stepsOfRank(const RankFacts &facts, TraceId trace);

/// A rank that is known without its trace.
struct KnownRank {
    std::string path; ///< its file
    std::shared_ptr<const RankFacts> facts;
};

/// The view run-steps of several ranks, as summarize() makes it from their traces, but without links to slices.
ResultTable stepsOfRun(std::span<const KnownRank> ranks);

} // namespace riffle
