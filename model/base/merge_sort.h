// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace riffle {

/// A stable sort that exploits existing order: profilers write long sorted runs (one per thread and source). It finds
/// the runs and merges them pairwise; merging two runs that are already in order costs one comparison. O(n log n) at
/// worst. Throws Stopped if the StopScope is stopped; the items are then in no useful state.
template <typename T, typename Allocator, typename Less>
void mergeSortRuns(std::vector<T, Allocator> &items, Less less)
{
    constexpr size_t kMinRun = 32;
    std::vector<size_t> runs; // the start of each run, then the end
    size_t at = 0;
    while (at < items.size()) {
        throwIfStopped();
        runs.push_back(at);
        size_t end = at + 1;
        while (end < items.size() && !less(items[end], items[end - 1]))
            ++end;
        if (end - at < kMinRun) {
            end = std::min(items.size(), at + kMinRun);
            std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(at),
                             items.begin() + static_cast<std::ptrdiff_t>(end), less);
        }
        at = end;
    }
    runs.push_back(items.size());
    std::vector<T, Allocator> buffer(items.get_allocator());
    while (runs.size() > 2) {
        std::vector<size_t> merged;
        for (size_t run = 0; run + 1 < runs.size(); run += 2) {
            merged.push_back(runs[run]);
            if (run + 2 >= runs.size())
                continue;
            T *first = items.data() + runs[run];
            T *middle = items.data() + runs[run + 1];
            T *last = items.data() + runs[run + 2];
            assert(first < middle && middle < last);
            if (!less(*middle, *(middle - 1)))
                continue;
            first = std::upper_bound(first, middle, *middle, less); // the elements before it are already in place
            buffer.assign(first, middle);
            auto left = buffer.begin();
            for (size_t number = 0; left != buffer.end() && middle != last; ++number) {
                throwIfStoppedAt(number);
                *first++ = less(*middle, *left) ? std::move(*middle++) : std::move(*left++);
            }
            std::move(left, buffer.end(), first); // what is left of the second run is in place
        }
        merged.push_back(items.size());
        runs.swap(merged);
    }
}

/// Sorts like std::sort(), but throws Stopped if the StopScope is stopped; the items are then in no useful state.
template <typename Items, typename Less>
void stoppableSort(Items &items, Less less)
{
    size_t comparisons = 0;
    std::sort(items.begin(), items.end(), [&](const auto &a, const auto &b) {
        throwIfStoppedAt(++comparisons);
        return less(a, b);
    });
}

} // namespace riffle
