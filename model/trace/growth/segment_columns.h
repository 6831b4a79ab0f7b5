// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/column_pack.h"
#include "model/trace/trace.h"

#include <cstddef>

namespace riffle {

/// Reserves the columns of the slices of a segment; its side tables come in addition.
void reserveSlices(ColumnPack &pack, size_t slices, size_t rows);
/// Fills in firstSlice, the span and the level of detail, which follow from the columns.
void measure(Segment &segment, ColumnPack &pack);

} // namespace riffle
