// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/analysis/table/row_filter.h"
#include "model/analysis/table/table_text.h"

#include <cstdint>
#include <span>
#include <string>

namespace riffle::cli {

struct PrintOptions {
    std::string unit;        ///< ns, us, ms or s for all times; empty: as fits each
    bool hidden = false;     ///< show hidden columns, too
    int64_t rowsLeftOut = 0; ///< beyond a limit: said below the rows
    size_t nameWidth = 60;   ///< longest text in a cell; the rest is cut
};

/// Columns aligned for a terminal, with title, notes and why there is nothing. Texts that have short ones are these.
std::string tableForPeople(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options);
/// The same as a table in Markdown; texts are whole.
std::string tableMarkdown(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options);

} // namespace riffle::cli
