// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <span>
#include <string>

namespace riffle {

/// A cell for people; "–" for what was not recorded.
std::string cellText(const ResultColumn &column, size_t row, Ns origin = 0);
/// A cell for programs: integers as they are (times in ns), other numbers with the digits that tell them apart; empty
/// for what was not recorded.
std::string cellValue(const ResultColumn &column, size_t row);

/// All columns under their keys, hidden ones too; of a tree `depth` comes first.
std::string tableCsv(const ResultTable &table, std::span<const uint32_t> rows);
/// An array with an object a row; null for what was not recorded.
std::string tableJson(const ResultTable &table, std::span<const uint32_t> rows);

} // namespace riffle
