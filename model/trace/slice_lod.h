// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/column.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Level of detail over the slices of one segment: finds the longest slice in any index range of a row. levels[k] holds
/// the longest duration of each block of 16^(k+1) slices, so a query costs O(16 log16 n). The durations themselves stay
/// in the slice table.
struct SliceLod {
    static constexpr uint32_t kFan = 16;
    std::vector<Column<Ns>> levels; ///< levels[0] has ceil(n/16) entries, and so on until one entry is left

    /// The longest duration in a range, and how far it has been located: level 0 means a slice, level k an entry of
    /// levels[k - 1].
    struct Pick {
        Ns duration = -1;
        uint32_t level = 0;
        uint32_t index = 0;
        uint32_t firstSlice = UINT32_MAX; ///< first slice of the entry; the earliest wins ties
    };

    /// Returns the index of the longest duration in [first, last), the earliest among equals; first < last <=
    /// durations.size().
    uint32_t longest(std::span<const Ns> durations, uint32_t first, uint32_t last) const;

    /// The next functions do the same in steps, so that a caller can overlap the cache misses of many ranges:
    /// prefetch() a range, pick() its longest entry, and descend() until the level is 0.
    void prefetch(std::span<const Ns> durations, uint32_t first, uint32_t last) const;
    Pick pick(std::span<const Ns> durations, uint32_t first, uint32_t last) const;
    void descend(std::span<const Ns> durations, Pick &pick) const;
    /// Prefetches what descend() will read; returns false if the pick is already a slice.
    bool prefetchBelow(std::span<const Ns> durations, const Pick &pick) const;

private:
    std::span<const Ns> below(std::span<const Ns> durations, const Pick &pick) const;
};

/// Returns the total number of entries of all levels over `count` durations.
size_t lodEntryCount(size_t count);
/// Computes the levels into `out` (lodEntryCount() entries), lowest level first.
void buildLod(std::span<const Ns> durations, std::span<Ns> out);
/// Cuts a column of lodEntryCount(count) entries into its levels.
SliceLod lodFromEntries(const Column<Ns> &entries, size_t count);

} // namespace riffle
