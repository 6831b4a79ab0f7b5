// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/ranks/rank_grid.h"
#include "views/ranks/rank_rows.h"

#include <QString>

#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// The cells of the shown run, without values, in groups: by host, or if `byAxes` is set and the run has two axes, by
/// their coordinates. There is one cell per rank, then one per trace that nothing places.
RankGridData rankCells(const Session &session, const std::vector<RankRow> &rows, bool byAxes);
/// The letters behind "trace" that occur in the cells, explained; empty if none does.
QString lettersText(const RankGridData &data);

/// The members that the comparison of a pair is about: its two files; for two runs, the traces of the first rank of
/// which both have one. Nothing if there are no two traces that can be read.
std::optional<std::pair<TraceId, TraceId>> comparedMembers(const OpenRun &open, const ComparedPair &pair);

/// The facts about the shown run as HTML: its size, what was found of how many ranks, what is odd, what could not
/// be read. `offersComparison` adds links "compare:N" for OpenRun::layout.pairs[N], where these
/// are about traces.
QString runHtml(const Session &session, bool offersComparison);

} // namespace riffle
