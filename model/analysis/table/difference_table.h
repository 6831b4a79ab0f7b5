// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/merged_table.h"

#include <span>
#include <string>
#include <string_view>

namespace riffle {

/// One row per key (RowUnion) of two tables of one view, which are the sides A and B.
///
/// Numbers have the columns A, B and Δ, texts that differ the columns A and B. The column `figure` comes first and also
/// has Δ %; of the others, Δ is hidden, and so are means, extremes and shares. Where a total makes sense (or in a tree,
/// the rows below a row add up to it), a side without the row counts as 0. Moments and ids are left out, because their
/// difference means nothing.
///
/// The rows, in a tree all siblings, are sorted by the size of the change of `figure` if those of the tables are sorted
/// by it. If it has a total, a table that is not a tree becomes one, with the total at the top.
ResultTable differenceTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                            const std::string &figure);

} // namespace riffle
