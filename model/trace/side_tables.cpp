// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/side_tables.h"

namespace riffle {

SideTables SideTables::ofSlices(uint32_t firstSlice, uint32_t endSlice) const
{
    SideTables part;
    const auto cut = [&]<typename Table>(const Table &all, Table &rows) {
        const auto first = std::lower_bound(all.slice.begin(), all.slice.end(), firstSlice);
        const auto last = std::lower_bound(first, all.slice.end(), endSlice);
        if (first != last)
            rows = tablePart(all, static_cast<size_t>(first - all.slice.begin()), static_cast<size_t>(last - first));
    };
    cut(operators, part.operators);
    cut(python, part.python);
    cut(device, part.device);
    cut(collectives, part.collectives);
    cut(syncs, part.syncs);
    return part;
}

} // namespace riffle
