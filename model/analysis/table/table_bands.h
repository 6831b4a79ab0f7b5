// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/bands.h"

namespace riffle {

/// True if the rows of a table have their own time (integer column `ts`, and `dur` for a duration) or that of their
/// slice.
bool hasTimes(const ResultTable &table);

/// The rows of a table as bands in copies of `track`, one for each trace with rows; `ts` is set time. The name of a
/// band is the row's `name`, or its first text. If all slices are of one device, the track belongs to that device.
SetBands bandsOf(const ResultTable &table, const TraceSet &set, const BandTrack &track);

} // namespace riffle
