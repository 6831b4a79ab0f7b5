// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/tables.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace riffle {

/// The tables with the details of slices, each ordered by its column `slice`.
struct SideTables {
    OperatorTable operators;
    PythonTable python;
    DeviceTable device;
    CollectiveTable collectives;
    SyncTable syncs;

    auto members() { return std::tie(operators, python, device, collectives, syncs); }
    auto members() const { return const_cast<SideTables *>(this)->members(); }
    /// Returns the rows of the slices with ids [firstSlice, endSlice); they share the columns' memory.
    SideTables ofSlices(uint32_t firstSlice, uint32_t endSlice) const;
};

/// A row of a side table, with the details of one slice: row[&OperatorTable::sequence]. It is valid as long as the
/// trace.
template <typename Table>
struct DetailRow {
    const Table *table = nullptr; ///< the part in one segment; null if there is no row
    uint32_t row = 0;

    explicit operator bool() const { return table; }
    template <typename T>
    const T &operator[](const Column<T> Table::*column) const
    {
        assert(table);
        return (table->*column)[row];
    }
};

/// Returns a slice's row in a part of a side table, by binary search.
template <typename Table>
DetailRow<Table> detailIn(const Table &table, SliceId slice)
{
    const auto found = std::lower_bound(table.slice.begin(), table.slice.end(), slice.value);
    if (found == table.slice.end() || *found != slice.value)
        return {};
    return {&table, static_cast<uint32_t>(found - table.slice.begin())};
}

} // namespace riffle
