// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <span>
#include <string>
#include <string_view>

namespace riffle {

/// A text as Markdown shows it unchanged: on one line, with a backslash before what Markdown would take for markup.
std::string markdownText(std::string_view text);

/// Rows of a table in the form that GitHub and others show as a table. Columns of figures are aligned to the right;
/// rows of a tree are indented. `columns` are indexes of columns. Empty if there are no columns.
std::string tableMarkdown(const ResultTable &table, std::span<const uint32_t> rows, std::span<const size_t> columns);

} // namespace riffle
