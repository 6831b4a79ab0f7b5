// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/step_grid.h"
#include "model/trace/trace_set.h"

#include <span>

namespace riffle {

/// For each step that at least two ranks have, the rank with the most own work (ownWorkOf()), in a table that leads to
/// the mark of the step. It is a lower bound that needs no common clock and no matched collectives: a rank that others
/// wait for has little exposed communication, so most of its step is its own work. `members` are the ranks of the grid,
/// in its order, and `titles` what they are called.
ResultTable firstStragglers(const StepGrid &grid, std::span<const TraceId> members,
                            std::span<const std::string> titles);

} // namespace riffle
