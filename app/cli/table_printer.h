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
    std::string unit;        ///< unit of all times: ns, us, ms or s; empty to choose one for each time
    bool hidden = false;     ///< also show hidden columns
    int64_t rowsLeftOut = 0; ///< number of rows omitted because of a limit, noted below the table
    size_t nameWidth = 60;   ///< texts in cells are cut to this many characters
};

/// A table with aligned columns for a terminal, with its title, its notes and, if it is empty, the reason. Uses the
/// short forms of texts where there are any.
std::string tableForPeople(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options);
/// The same table as Markdown, with full texts.
std::string tableMarkdown(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options);

} // namespace riffle::cli
