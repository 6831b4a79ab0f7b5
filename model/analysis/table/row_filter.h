// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// Which rows pass a filter as people type it: a 1 or 0 for each row. Words stand between spaces, and all of them must
/// hold:
///   adam, "two words"      a text of the row contains it, in either case
///   /gemm|conv/            the expression is found in a text of the row, in either case
///   calls>100, share>=5%   the first column whose key or title begins so; < <= > >= = !=
///   >10ms                  the column `preferred` if it holds such values, else the first that does
///   category=kernel        a column of texts is this text
/// Units: ns us µs ms s, B KB MB GB KiB MiB GiB, %, k. What was not recorded passes no comparison. An Error says what
/// cannot be understood (ErrorKind::Question), or that the table has no such column or values; what only looks like a
/// comparison
/// ("kernel<4,") is text.
Result<std::vector<uint8_t>> rowsPassing(const ResultTable &table, std::string_view filter,
                                         std::string_view preferred = {});

} // namespace riffle
