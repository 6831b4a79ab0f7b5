// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_diff.h"

#include "model/analysis/table/table_builder.h"
#include "model/base/ids.h"
#include "model/base/wrapping.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace riffle {

namespace {

/// Damaged files can contain any size, so differences wrap instead of overflowing.
int64_t difference(int64_t after, int64_t before)
{
    return static_cast<int64_t>(static_cast<uint64_t>(after) - static_cast<uint64_t>(before));
}

int64_t magnitude(int64_t change)
{
    return change == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max()
           : change < 0                                  ? -change
                                                         : change;
}

/// The nodes of both trees, parents before their children.
struct Union {
    struct Node {
        uint32_t parent;
        const std::string *name, *shortName;
        std::array<int64_t, 2> bytes{}, counts{};
        std::array<bool, 2> there{};
        int64_t weight = 0;
        std::vector<uint32_t> children;
    };
    std::vector<Node> nodes;
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> known;

    /// Adds the nodes of a tree. With `shortNames`, several of its nodes may match and are summed.
    void add(const MemoryTree &tree, size_t side, bool shortNames)
    {
        const std::vector<std::string> &names = shortNames ? tree.shorts : tree.names;
        std::vector<uint32_t> place(tree.size());
        for (uint32_t at = 0; at < tree.size(); ++at) {
            const uint32_t parent = tree.parents[at] == kNoRow ? kNoRow : place[tree.parents[at]];
            const auto [found, isNew] = known.try_emplace({parent, names[at]}, static_cast<uint32_t>(nodes.size()));
            if (isNew)
                nodes.push_back({parent, &names[at], &tree.shorts[at], {}, {}, {}, 0, {}});
            place[at] = found->second;
            Node &node = nodes[found->second];
            addWrapping(node.bytes[side], tree.bytes[at]);
            addWrapping(node.counts[side], tree.counts[at]);
            node.there[side] = true;
        }
    }
};

MemoryDifference::State stateOf(const Union::Node &node)
{
    using enum MemoryDifference::State;
    if (!node.there[0] || !node.there[1])
        return node.there[1] ? New : Gone;
    return node.bytes[1] > node.bytes[0] ? Grown : node.bytes[1] < node.bytes[0] ? Shrunk : Unchanged;
}

} // namespace

MemoryDifference memoryDifference(const MemoryTree &before, const MemoryTree &after, MemoryGrouping by)
{
    Union both;
    both.add(before, 0, by == MemoryGrouping::Place);
    both.add(after, 1, by == MemoryGrouping::Place);
    std::vector<uint32_t> tops;
    for (uint32_t at = static_cast<uint32_t>(both.nodes.size()); at > 0; --at) {
        Union::Node &node = both.nodes[at - 1];
        node.weight = std::max(node.weight, magnitude(difference(node.bytes[1], node.bytes[0])));
        if (node.parent == kNoRow) {
            tops.push_back(at - 1);
            continue;
        }
        both.nodes[node.parent].weight = std::max(both.nodes[node.parent].weight, node.weight);
        both.nodes[node.parent].children.push_back(at - 1);
    }
    // Sorts in reverse order, because nodes are later taken from the end.
    const auto sort = [&](std::vector<uint32_t> &siblings) {
        std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
            const Union::Node &left = both.nodes[a], &right = both.nodes[b];
            const int64_t one = magnitude(difference(left.bytes[1], left.bytes[0])),
                          other = magnitude(difference(right.bytes[1], right.bytes[0]));
            return one != other ? one < other : *left.name > *right.name;
        });
    };
    MemoryDifference found;
    std::vector<uint32_t> open = std::move(tops), place(both.nodes.size());
    sort(open);
    while (!open.empty()) {
        const uint32_t at = open.back();
        open.pop_back();
        Union::Node &node = both.nodes[at];
        place[at] = found.size();
        const uint32_t parent = node.parent == kNoRow ? kNoRow : place[node.parent];
        found.parents.push_back(parent);
        found.depth.push_back(parent == kNoRow ? 0 : found.depth[parent] + 1);
        found.names.push_back(*node.name);
        found.shorts.push_back(*node.shortName);
        found.before.bytes.push_back(node.bytes[0]);
        found.before.counts.push_back(node.counts[0]);
        found.after.bytes.push_back(node.bytes[1]);
        found.after.counts.push_back(node.counts[1]);
        found.change.push_back(difference(node.bytes[1], node.bytes[0]));
        found.state.push_back(stateOf(node));
        found.weight.push_back(node.weight);
        sort(node.children);
        open.insert(open.end(), node.children.begin(), node.children.end());
    }
    return found;
}

std::string_view memoryChangeWord(MemoryDifference::State state)
{
    static constexpr std::array<std::string_view, 5> kWords{"new", "gone", "grown", "shrunk", "unchanged"};
    return kWords[static_cast<size_t>(state)];
}

ResultTable memoryDifferenceTable(const MemoryDifference &difference, MemoryGrouping by)
{
    ResultTable table;
    const std::string word(memoryGroupingWord(by));
    table.view = "memory_difference_by_" + word;
    table.title = "Difference in alive memory by " + word;
    table.depth = difference.depth;
    std::vector<uint32_t> nodes(difference.size());
    for (uint32_t node = 0; node < difference.size(); ++node)
        nodes[node] = node;
    TableBuilder<uint32_t> build(table, nodes);
    std::string title = word;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    build
        .text(word, title, "the property that each row groups by",
              [&](uint32_t node) { return difference.names[node]; })
        .shorts = difference.shorts;
    build
        .integer("change_bytes", "Change", CellKind::Bytes, "bytes after − before",
                 [&](uint32_t node) { return difference.change[node]; })
        .summed = true;
    build.text("state", "State", "new or gone if it is on one side only; otherwise by the change in bytes",
               [&](uint32_t node) { return std::string(memoryChangeWord(difference.state[node])); });
    const auto bytes = [&](const char *key, const char *name, const std::vector<int64_t> &values) {
        build
            .integer(key, name, CellKind::Bytes, "active: requested and not yet back in the pool",
                     [&](uint32_t node) { return values[node]; })
            .summed = true;
    };
    bytes("before_bytes", "Before", difference.before.bytes);
    bytes("after_bytes", "After", difference.after.bytes);
    build
        .count("before_allocations", "Allocations before", "",
               [&](uint32_t node) { return difference.before.counts[node]; })
        .summed = true;
    build
        .count("after_allocations", "Allocations after", "",
               [&](uint32_t node) { return difference.after.counts[node]; })
        .summed = true;
    if (difference.size() == 0)
        table.absence = "Nothing is allocated at either instant.";
    return table;
}

} // namespace riffle
