// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_tree.h"

#include "model/analysis/table/text_room.h"

#include <algorithm>
#include <cassert>

namespace riffle {

uint32_t MemoryTree::end(uint32_t node) const
{
    assert(node < size());
    uint32_t at = node + 1;
    while (at < size() && depth[at] > depth[node])
        ++at;
    return at;
}

namespace {

int64_t sumOfTops(const MemoryTree &tree, const std::vector<int64_t> &values)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < tree.size(); ++node)
        sum += tree.depth[node] == 0 ? static_cast<uint64_t>(values[node]) : 0;
    return static_cast<int64_t>(sum);
}

} // namespace

int64_t MemoryTree::totalBytes() const { return sumOfTops(*this, bytes); }
int64_t MemoryTree::totalPending() const { return sumOfTops(*this, pending); }
int64_t MemoryTree::totalCount() const { return sumOfTops(*this, counts); }

int64_t MemoryTree::unknownBytes() const
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < size(); ++node)
        sum += unknown[node] ? static_cast<uint64_t>(own[node]) : 0;
    return static_cast<int64_t>(sum);
}

uint32_t MemoryTreeBuilder::node(uint32_t parent, uint32_t label)
{
    assert(parent == MemoryTree::kNone || parent < m_nodes.size());
    const auto [known, isNew] =
        m_known.try_emplace(uint64_t(parent) << 32 | label, static_cast<uint32_t>(m_nodes.size()));
    if (isNew)
        m_nodes.push_back({parent, label});
    return known->second;
}

void MemoryTreeBuilder::add(uint32_t node, int64_t bytes, int64_t pending, int64_t count)
{
    assert(node < m_nodes.size());
    m_nodes[node].own += static_cast<uint64_t>(bytes);
    m_nodes[node].bytes += static_cast<uint64_t>(bytes);
    m_nodes[node].pending += static_cast<uint64_t>(pending);
    m_nodes[node].count += static_cast<uint64_t>(count);
}

MemoryTree MemoryTreeBuilder::finish(const std::function<Label(uint32_t label)> &text, std::vector<uint32_t> &place)
{
    const auto count = static_cast<uint32_t>(m_nodes.size());
    std::vector<Label> labels(count);
    std::vector<std::vector<uint32_t>> children(count + 1); // the last entry contains the top nodes
    TextRoom names, shorts;
    for (uint32_t at = count; at > 0; --at) { // children come after their parents
        const Node &one = m_nodes[at - 1];
        Label label = text(one.label);
        labels[at - 1] = {names.fit(std::move(label.name)), shorts.fit(std::move(label.shortName)), label.unknown};
        children[one.parent == MemoryTree::kNone ? count : one.parent].push_back(at - 1);
        if (one.parent == MemoryTree::kNone)
            continue;
        Node &parent = m_nodes[one.parent];
        parent.bytes += one.bytes;
        parent.pending += one.pending;
        parent.count += one.count;
    }
    for (std::vector<uint32_t> &siblings : children)
        std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
            const auto left = static_cast<int64_t>(m_nodes[a].bytes), right = static_cast<int64_t>(m_nodes[b].bytes);
            return left != right                      ? left > right
                   : labels[a].name != labels[b].name ? labels[a].name < labels[b].name
                                                      : a < b;
        });
    MemoryTree tree;
    place.assign(count, 0);
    std::vector<uint32_t> open(children[count].rbegin(), children[count].rend()); // the next node is at the end
    while (!open.empty()) {
        const uint32_t at = open.back();
        open.pop_back();
        const Node &one = m_nodes[at];
        place[at] = tree.size();
        const uint32_t parent = one.parent == MemoryTree::kNone ? MemoryTree::kNone : place[one.parent];
        tree.parents.push_back(parent);
        tree.depth.push_back(parent == MemoryTree::kNone ? 0 : tree.depth[parent] + 1);
        tree.bytes.push_back(static_cast<int64_t>(one.bytes));
        tree.pending.push_back(static_cast<int64_t>(one.pending));
        tree.counts.push_back(static_cast<int64_t>(one.count));
        tree.own.push_back(static_cast<int64_t>(one.own));
        tree.unknown.push_back(labels[at].unknown);
        tree.names.push_back(std::move(labels[at].name));
        tree.shorts.push_back(labels[at].shortName.empty() ? tree.names.back() : std::move(labels[at].shortName));
        open.insert(open.end(), children[at].rbegin(), children[at].rend());
    }
    return tree;
}

} // namespace riffle
