// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <span>
#include <string>

namespace riffle {

/// The name of the table that queries see for a view of `summary`: "summary_critical_path".
std::string summaryTableName(const SummaryView &view);
/// The declared type of a column of such a table.
const char *declaredType(const ResultColumn &column);

/// The columns that end every such table.
inline constexpr const char *kDepthColumn = "depth", *kSummarySliceColumn = "slice_id";

struct SummaryColumn {
    std::string table, name;
    const char *type;
    std::string meaning;
};

/// Describes the columns of all these tables, for one trace or for several; the columns do not depend on the traces.
std::span<const SummaryColumn> summaryColumns(bool several);

} // namespace riffle
