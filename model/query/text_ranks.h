// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace riffle {

/// For each file, the rank of each of its texts among the texts of all files. Equal texts have equal ranks, and ranks
/// are ordered like the texts, byte by byte.
using TextRanks = std::vector<std::vector<uint32_t>>;

/// Ranks the strings of the files, by StringId.
TextRanks ranksOfStrings(const QueryFiles &files);
/// Ranks the texts that `texts` returns for each file, by their index.
TextRanks ranksOfTexts(const QueryFiles &files,
                       const std::function<const std::vector<std::string> &(const QueryFile &)> &texts);

} // namespace riffle
