// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/growth_memory.h"
#include "model/trace/trace.h"

#include <memory>
#include <span>

namespace riffle {

/// Makes one segment of several of a lane that grows. Parents and rows stay the same. The segments must not overlap in
/// a row, and follow each other in time in every row. Returns null if there is no memory.
std::shared_ptr<const Segment> mergedSegment(std::span<const std::shared_ptr<const Segment>> segments,
                                             GrowthMemory &memory);

} // namespace riffle
