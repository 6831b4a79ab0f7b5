// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace riffle {

/// Device work grouped into rows, with the times of each row. Times are in ns, as Scope::deviceTime() counts them.
struct WorkRows {
    struct Row {
        uint32_t name = 0;    ///< StringId
        uint32_t example = 0; ///< the row's first piece of device work
        uint64_t calls = 0;
        Ns total = 0, mean = 0, median = 0, minimum = 0, maximum = 0;
        int64_t bytes = kNoInt;
        Ns withBytes = 0;                                              ///< time of the work whose bytes are recorded
        double blocksPerSm = std::numeric_limits<double>::quiet_NaN(); ///< mean weighted by time
        double occupancy = std::numeric_limits<double>::quiet_NaN();   ///< mean weighted by time, 0..1
        uint64_t withoutOccupancy = 0;                                 ///< pieces of work without a recorded occupancy
        uint32_t longest = 0;                                          ///< the longest piece of device work
    };
    std::vector<Row> rows;         ///< by descending total
    BigVector<uint32_t> rowOfWork; ///< per device work; RowSlices::kNoRow if it is in no row
    Ns total = 0;
};

/// Groups device work into rows by `key(work)`. Leaves out work for which `counts(work)` is false, and work that
/// neither has time in the scope nor starts in it.
template <typename Key, typename Counts>
WorkRows workRows(const Scope &scope, Key key, Counts counts);

/// Fills in the figures of the rows that rowOfWork refers to, and sorts the rows.
void measureRows(const Scope &scope, WorkRows &rows);

template <typename Key, typename Counts>
WorkRows workRows(const Scope &scope, Key key, Counts counts)
{
    const DeviceWork &work = scope.facts().work();
    WorkRows made;
    made.rowOfWork.assign(work.size(), UINT32_MAX);
    std::map<decltype(key(uint32_t())), uint32_t> rowOfKey;
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!counts(at) || !scope.hasSlice(work.slice[at], work.name[at]) ||
            (!scope.begins(at) && scope.deviceTime(at) == 0))
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
