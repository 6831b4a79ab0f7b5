// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/run/rank_facts.h"
#include "model/trace/run/run_layout.h"

namespace riffle {

/// Replaces hints about the place of a file by the facts about the rank in it, which somebody made by reading all of
/// the file. Coordinates stay, because the facts have none.
void knowPlace(RecordedPlace &place, const RankFacts &facts);

} // namespace riffle
