// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <span>
#include <string>

namespace riffle {

/// A cell as text for the user; "–" if it was not recorded.
std::string cellText(const ResultColumn &column, size_t row, Ns origin = 0);
/// A change as text: `text` with a plus sign if the change is above 0, otherwise with the minus sign that times have.
std::string changeText(std::string text, double change);
/// A cell as text for programs: integers unchanged (times in ns), other numbers with just enough digits to identify
/// them; empty if it was not recorded.
std::string cellValue(const ResultColumn &column, size_t row);

/// The rows as CSV: all columns under their keys, including hidden ones; in a tree, `depth` comes first.
std::string tableCsv(const ResultTable &table, std::span<const uint32_t> rows);
/// The rows as a JSON array with one object per row; null for cells that were not recorded.
std::string tableJson(const ResultTable &table, std::span<const uint32_t> rows);

/// The parts of the two, for tables that are written piece by piece.
std::string csvHeader(const ResultTable &table);
std::string csvRows(const ResultTable &table, std::span<const uint32_t> rows);
/// The objects, separated by commas; empty if there are none.
std::string jsonRows(const ResultTable &table, std::span<const uint32_t> rows);

} // namespace riffle
