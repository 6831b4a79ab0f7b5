// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/base/result.h"

#include <span>
#include <string>
#include <vector>

namespace riffle::cli {

/// What is to be printed in another program's manner.
struct LikeRequest {
    ScopeRequest scope;
    std::vector<std::string> views; ///< words of --view; empty: what that program prints by itself
    std::string groupBy;            ///< word of --group-by; empty: as that program does by itself
    std::string sort;               ///< that program's own word; empty: its usual order
    std::string unit;               ///< empty: its usual unit
    int64_t limit = -1;             ///< negative: its usual limit
    bool detailed = false;          ///< all tables
    bool byThread = false;          ///< a block a thread
    bool withoutInner = false;      ///< only the operators themselves
};

/// One row of the table below: a word of --like, and either the text that it prints for one trace of a set, or views
/// that are printed as Riffle's own.
struct LikePrinter {
    const char *word;
    Result<std::string> (*print)(const SetFacts &facts, uint32_t trace, const LikeRequest &request);
    std::span<const SummaryView> (*views)();
};

/// THE table of programs that `summary --like` knows.
std::span<const LikePrinter> likePrinters();

/// What PyTorch's profiler prints: key_averages().table().
Result<std::string> printLikeTorch(const SetFacts &facts, uint32_t trace, const LikeRequest &request);
/// The tables of Paddle's profiler: Profiler.summary().
Result<std::string> printLikePaddle(const SetFacts &facts, uint32_t trace, const LikeRequest &request);

} // namespace riffle::cli
