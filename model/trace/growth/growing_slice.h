// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/trace/long_slices.h"
#include "model/trace/tables.h"

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace riffle {

/// The rows of a slice in side tables.
struct SideRows {
    std::variant<std::monostate, OperatorRow, PythonRow, DeviceRow> detail;
    std::optional<CollectiveRow> collective;
    std::optional<SyncRow> sync;
};

/// A slice of a lane that grows, before it is in a segment.
struct GrowingSlice {
    SliceRow row;
    SliceId id;
    std::unique_ptr<SideRows> side; ///< null if it has none

    Ns end() const { return row.start + row.duration; }
    NestedSpan span() const { return {row.start, end(), id, row.sourceOffset}; }
};

/// True if a slice that is open is a begin without an end. Others, such as gaps of a recording, are written with the
/// duration that they have so far.
inline bool endsWithTrace(const SliceRow &row) { return row.phase == 'B'; }

/// The order in which slices nest: an outer slice comes before the slices in it.
inline bool comesBefore(const GrowingSlice &a, const GrowingSlice &b)
{
    if (a.row.start != b.row.start)
        return a.row.start < b.row.start;
    if (a.row.duration != b.row.duration)
        return a.row.duration > b.row.duration;
    return a.row.sourceOffset < b.row.sourceOffset;
}

} // namespace riffle
