// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// Applies a filter as the user types it: returns 1 for each row that passes, otherwise 0. Words are separated by
/// spaces, and all of them must hold:
///   adam, "two words"      a text of the row contains it; case is ignored
///   /gemm|conv/            the expression is found in a text of the row; case is ignored
///   calls>100, share>=5%   a value of the first column whose key or title starts with the word; < <= > >= = !=
///   >10ms                  a value of the column `preferred` if it has such values, otherwise of the first that does
///   category=kernel        the cell of a text column is this text
/// Units: ns us µs ms s, B KB MB GB KiB MiB GiB, %, k. Values that were not recorded pass no comparison. Returns an
/// Error if a word cannot be understood (ErrorKind::Question), or if the table has no such column or values. A word
/// that only looks like a comparison ("kernel<4,") is text.
Result<std::vector<uint8_t>> rowsPassing(const ResultTable &table, std::string_view filter,
                                         std::string_view preferred = {});

} // namespace riffle
