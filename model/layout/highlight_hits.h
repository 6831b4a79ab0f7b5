// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"
#include "model/trace/squeezed_lanes.h"
#include "model/trace/trace_set.h"
#include "model/trace/work_class.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Returns, per trace, the ascending SliceIds of all slices with one of the names (sorted StringIds). A draw list
/// needs them to show a highlighted slice even if a longer slice shares its pixel.
PerTrace<BigVector<uint32_t>> slicesOfNames(const TraceSet &set, const PerTrace<std::vector<uint32_t>> &names,
                                            Task task);
/// The same for all slices of the wanted classes, also if a trace has none of them; none of a trace whose classes are
/// not known. Segments of a trace that grows are left out while the classes, which may be those of an earlier
/// generation or of the newest part, do not have them. If `names` is not null, slices also need one of the names.
PerTrace<BigVector<uint32_t>> slicesOfClasses(const TraceSet &set, const SetWorkClasses &classes, WorkClassSet wanted,
                                              const PerTrace<std::vector<uint32_t>> *names, Task task);

/// Returns the ascending numbers that slices, given by ascending SliceIds, have in the squeezed lanes of their trace;
/// those that are left out have none.
BigVector<uint32_t> numbersOf(const Trace &trace, const SqueezedLanes &squeezed, std::span<const uint32_t> slices,
                              Task task);

} // namespace riffle
