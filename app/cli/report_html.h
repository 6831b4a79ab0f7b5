// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/trace/bands.h"

#include <string>

namespace riffle::cli {

/// A self-contained HTML page: the figures that matter most, findings, one chart of the steps, timelines, and every
/// view's table with at most `limit` rows (all of them if it is 0). A click on a column heading sorts its table;
/// without scripts, the tables are still complete.
std::string reportHtml(const SetFacts &facts, const SetBands &bands, size_t limit);

} // namespace riffle::cli
