// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_trace.h"

#include <functional>

namespace riffle {

/// For each trace, the rank of each of its texts among the texts of all traces. Equal texts have equal ranks, and ranks
/// are ordered like the texts, byte by byte.
using TextRanks = std::vector<std::vector<uint32_t>>;

/// Ranks the strings of the traces, by StringId.
TextRanks ranksOfStrings(const std::vector<QueryTrace> &traces);
/// Ranks the texts that `texts` returns for each trace, by their index.
TextRanks ranksOfTexts(const std::vector<QueryTrace> &traces,
                       const std::function<const std::vector<std::string> &(const QueryTrace &)> &texts);

} // namespace riffle
