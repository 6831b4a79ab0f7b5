// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Ascending SliceIds of all slices with one of the names (sorted StringIds), per trace. What a draw list needs to show
/// a highlighted slice even where longer ones share its pixel.
std::vector<std::vector<uint32_t>> slicesOfNames(const TraceSet &set, const std::vector<std::vector<uint32_t>> &names,
                                                 Task task);

} // namespace riffle
