// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <cstdint>

namespace riffle {

/// The columns of a segment that drawing reads. Slices are ordered by drawing row, then by start; the slices of a row
/// are disjoint. rowBegin has one entry per row, and one more for the end.
struct DrawnColumns {
    BigVector<Ns> start, duration;
    BigVector<uint32_t> name, rowBegin;
};

/// Makes a segment of slices that are only drawn, with its level of detail. Slices are numbered from 0; the columns
/// that drawing does not read stay empty.
Segment drawnSegment(DrawnColumns columns);

} // namespace riffle
