// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/event_blocks.h"

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace riffle {

/// Returns a row of a sealed table.
template <template <template <typename> class> class TableT>
TableT<Value> rowAt(const TableT<Column> &table, size_t row)
{
    TableT<Value> values;
    std::apply(
        [&](auto &...fields) {
            std::apply([&](const auto &...columns) { ((fields = columns[row]), ...); }, table.members());
        },
        values.members());
    return values;
}

/// Returns a row of a table that is being filled.
template <template <template <typename> class> class TableT>
TableT<Value> rowAt(const BlockTable<TableT> &table, uint32_t row)
{
    const uint32_t at = row & (kBlockRows - 1);
    const auto valueOf = [&]<typename T>(const T *column) {
        if constexpr (isOptional<TableT, T>())
            return column ? column[at] : kAbsent<T>;
        else
            return column[at];
    };
    TableT<Value> values;
    std::apply(
        [&](auto &...fields) {
            std::apply([&](const auto &...columns) { ((fields = valueOf(columns)), ...); },
                       table.blocks()[row >> kBlockBits].columns.members());
        },
        values.members());
    return values;
}

} // namespace riffle
