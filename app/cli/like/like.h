// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/base/result.h"

#include <span>
#include <string>
#include <vector>

namespace riffle::cli {

/// A request to print tables in the format of another program.
struct LikeRequest {
    ScopeRequest scope;
    std::vector<std::string> views; ///< words of --view; empty for that program's default tables
    std::string groupBy;            ///< word of --group-by; empty for that program's default grouping
    std::string sort;               ///< that program's word for a sort key; empty for its default order
    std::string unit;               ///< unit of times; empty for its default unit
    int64_t limit = -1;             ///< maximum number of rows; negative for its default limit
    bool detailed = false;          ///< print all tables
    bool byThread = false;          ///< print one block per thread
    bool withoutInner = false;      ///< print only the operators, without the rows inside them
};

/// A word of --like, with either a function that returns the output for one trace of a set, or views that are printed
/// like Riffle's own.
struct LikePrinter {
    const char *word;
    Result<std::string> (*print)(const SetFacts &facts, TraceId trace, const LikeRequest &request);
    std::span<const SummaryView> (*views)();
};

/// The programs that `summary --like` supports.
std::span<const LikePrinter> likePrinters();

/// Returns the output of PyTorch's profiler: key_averages().table().
Result<std::string> printLikeTorch(const SetFacts &facts, TraceId trace, const LikeRequest &request);
/// Returns the output of Paddle's profiler: Profiler.summary().
Result<std::string> printLikePaddle(const SetFacts &facts, TraceId trace, const LikeRequest &request);

} // namespace riffle::cli
