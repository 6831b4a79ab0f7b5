// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::cli {

/// The parts that the pages of all reports share. All texts are escaped.
std::string pageHead(const std::string &title);
std::string pageEnd();

/// The last part of a path.
std::string nameOfFile(const std::string &path);

/// Returns notes as paragraphs; more than a few are folded.
std::string notesHtml(const std::vector<std::string> &notes);

/// Returns a table with its notes, and with these rows or the first `limit` ones (all of them if it is 0). A sentence
/// says if rows are missing.
std::string tableHtml(const ResultTable &table, const std::vector<uint32_t> &rows);
std::string tableHtml(const ResultTable &table, size_t limit);

} // namespace riffle::cli
