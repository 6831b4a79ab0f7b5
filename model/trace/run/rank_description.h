// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/run/rank_facts.h"

#include <string>
#include <string_view>

namespace riffle {

/// Serializes everything in the facts about a rank that is not a table.
std::string describeRank(const RankFacts &facts);

/// Fills the facts from bytes that describeRank() returned. Returns false if they are not a valid description, or times
/// in it are absurd.
bool readRankDescription(std::string_view bytes, RankFacts &facts);

} // namespace riffle
