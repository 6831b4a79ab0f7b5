// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/bands.h"

namespace riffle {

/// Whether rows of a table have a time of their own (integers `ts`, and `dur` where they last) or that of their slice.
bool hasTimes(const ResultTable &table);

/// The rows of a table as tracks that look like `track`, one for each trace they are of; `ts` is set time. A band is
/// called what `name` says, or the row's first text. Where all slices are of one device the track stands there.
SetBands bandsOf(const ResultTable &table, const TraceSet &set, const BandTrack &track);

} // namespace riffle
