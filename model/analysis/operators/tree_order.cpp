// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/tree_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace riffle {

TreeOrder treeOrder(std::span<const uint32_t> parents, std::vector<uint8_t> counts, std::vector<Ns> first)
{
    const auto count = static_cast<uint32_t>(parents.size());
    for (uint32_t node = count; node-- > 0;) {
        const uint32_t around = parents[node];
        if (around >= count)
            continue;
        counts[around] |= counts[node];
        first[around] = std::min(first[around], first[node]);
    }
    // Linked lists of siblings, ordered by `first`; child[count] is the head of the list at the top.
    constexpr uint32_t kEnd = UINT32_MAX;
    std::vector<uint32_t> byFirst(count), next(count, kEnd), child(count + 1, kEnd);
    std::iota(byFirst.begin(), byFirst.end(), 0u);
    std::stable_sort(byFirst.begin(), byFirst.end(), [&](uint32_t a, uint32_t b) { return first[a] < first[b]; });
    for (auto node = byFirst.rbegin(); node != byFirst.rend(); ++node) {
        if (!counts[*node])
            continue;
        uint32_t &head = child[std::min(parents[*node], count)];
        next[*node] = std::exchange(head, *node);
    }
    TreeOrder order;
    std::vector<uint32_t> open; // the next node to visit at each depth
    if (child[count] != kEnd)
        open.push_back(child[count]);
    while (!open.empty()) {
        const uint32_t node = open.back();
        order.nodes.push_back(node);
        order.depth.push_back(static_cast<uint32_t>(open.size() - 1));
        open.back() = next[node];
        open.push_back(child[node]);
        while (!open.empty() && open.back() == kEnd)
            open.pop_back();
    }
    return order;
}

} // namespace riffle
