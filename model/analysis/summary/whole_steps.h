// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <cstddef>
#include <vector>

namespace riffle {

/// The rows of the step table whose durations can be compared: steps that ended and that the range does not cut, or
/// those that it cuts if there are no others. A trace without marks, whose only step is all of it, does not count
/// beside traces with marks.
std::vector<size_t> wholeSteps(const ResultTable &steps);

} // namespace riffle
