// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace riffle {

/// Device work put into rows, and what each row took. Times in ns, as Scope::deviceTime() counts them.
struct WorkRows {
    struct Row {
        uint32_t name = 0;    ///< StringId
        uint32_t example = 0; ///< device work that began the row
        uint64_t calls = 0;
        Ns total = 0, mean = 0, median = 0, minimum = 0, maximum = 0;
        int64_t bytes = kNoInt;
        Ns withBytes = 0;                                              ///< time of the work that says its bytes
        double blocksPerSm = std::numeric_limits<double>::quiet_NaN(); ///< mean by time
        double occupancy = std::numeric_limits<double>::quiet_NaN();   ///< mean by time, 0..1
        uint64_t withoutOccupancy = 0;                                 ///< calls that have none
        uint32_t longest = 0;                                          ///< device work
    };
    std::vector<Row> rows;           ///< by descending total
    std::vector<uint32_t> rowOfWork; ///< RowSlices::kNoRow: in none
    Ns total = 0;
};

/// Rows by `key`, a number for each piece of device work; work for which `counts` is false is left out. What has no
/// time in the scope and does not begin in it is left out, too.
template <typename Key, typename Counts>
WorkRows workRows(const Scope &scope, Key key, Counts counts);

/// Fills the figures of rows that are numbered in rowOfWork, and orders them.
void measureRows(const Scope &scope, WorkRows &rows);

template <typename Key, typename Counts>
WorkRows workRows(const Scope &scope, Key key, Counts counts)
{
    const DeviceWork &work = scope.facts().work();
    WorkRows made;
    made.rowOfWork.assign(work.size(), UINT32_MAX);
    std::map<decltype(key(uint32_t())), uint32_t> rowOfKey;
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!counts(at) || !scope.hasName(work.name[at]) || (!scope.begins(at) && scope.deviceTime(at) == 0))
            continue;
        const auto [found, isNew] = rowOfKey.try_emplace(key(at), static_cast<uint32_t>(made.rows.size()));
        if (isNew) {
            made.rows.emplace_back().name = work.name[at];
            made.rows.back().example = at;
        }
        made.rowOfWork[at] = found->second;
    }
    measureRows(scope, made);
    return made;
}

} // namespace riffle
