// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/sibling_alignment.h"
#include "model/base/merge_sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// Sorts entries of a key and an index, and drops those whose key occurs more than once.
template <typename Key>
void keepUnique(std::vector<std::pair<Key, uint32_t>> &entries)
{
    stoppableSort(entries, [](const auto &one, const auto &other) { return one < other; });
    size_t kept = 0;
    for (size_t at = 0; at < entries.size();) {
        size_t next = at + 1;
        while (next < entries.size() && entries[next].first == entries[at].first)
            ++next;
        if (next == at + 1)
            entries[kept++] = entries[at];
        at = next;
    }
    entries.resize(kept);
}

/// Pairs the indexes whose keys occur once on both sides. The pairs ascend on both sides: if the order differs, they
/// are the longest sequence that is in order.
template <typename Key>
std::vector<SiblingAlignment::Pair> uniquePairs(std::vector<std::pair<Key, uint32_t>> ofA,
                                                std::vector<std::pair<Key, uint32_t>> ofB)
{
    keepUnique(ofA);
    keepUnique(ofB);
    std::vector<SiblingAlignment::Pair> found;
    for (auto a = ofA.begin(), b = ofB.begin(); a != ofA.end() && b != ofB.end();)
        if (a->first == b->first)
            found.emplace_back((a++)->second, (b++)->second);
        else if (a->first < b->first)
            ++a;
        else
            ++b;
    std::ranges::sort(found);
    return longestAscending(found);
}

} // namespace riffle
