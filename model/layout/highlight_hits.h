// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Returns, per trace, the ascending SliceIds of all slices with one of the names (sorted StringIds). A draw list
/// needs them to show a highlighted slice even if a longer slice shares its pixel.
PerTrace<BigVector<uint32_t>> slicesOfNames(const TraceSet &set, const PerTrace<std::vector<uint32_t>> &names,
                                            Task task);

} // namespace riffle
