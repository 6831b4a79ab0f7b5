// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_tree.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace riffle {

namespace {

void add(LogTree &tree, std::string name, std::string path, uint32_t depth, PrintedSize value, PrintedSize own)
{
    tree.names.push_back(std::move(name));
    tree.paths.push_back(std::move(path));
    tree.depth.push_back(depth);
    tree.values.push_back(std::max<int64_t>(0, value));
    tree.own.push_back(std::max<int64_t>(0, own));
}

} // namespace

LogTree logTreeAt(const MemoryLogRank &rank, uint32_t point)
{
    LogTree tree;
    if (point >= rank.points.size())
        return tree;
    const MemoryLogPoint &at = rank.points[point];
    tree.total = at.total;
    for (size_t part = 0; part < kMemoryLogParts; ++part) {
        const std::string word(memoryLogPartWord(static_cast<MemoryLogPart>(part)));
        const MemoryLogLayout *layout =
            at.layouts[part] == MemoryLogPoint::kNone ? nullptr : &rank.layouts[at.layouts[part]];
        if (at.parts[part] == kNotPrinted && !layout)
            continue;
        add(tree, word, word, 0, at.parts[part], 0);
        if (!layout)
            continue;
        // A layer that contains all others is the part itself.
        const bool hasRoot = layout->count() > 0 && std::count(layout->depth.begin(), layout->depth.end(), 0u) == 1;
        if (hasRoot) {
            tree.own.back() = std::max<int64_t>(0, layout->own[0]);
            if (at.parts[part] == kNotPrinted)
                tree.values.back() = std::max<int64_t>(0, layout->total[0]);
        }
        for (uint32_t layer = hasRoot; layer < layout->count(); ++layer) {
            const std::string &path = rank.paths[layout->paths[layer]];
            const uint32_t depth = layout->depth[layer] + (hasRoot ? 0 : 1);
            add(tree, depth > 1 || hasRoot ? path.substr(path.rfind('.') + 1) : path, word + '/' + path, depth,
                layout->total[layer], layout->own[layer]);
        }
    }
    return tree;
}

LogTree logTreeOf(const MemoryLogPage &page)
{
    constexpr int64_t kHundredths = 100;
    LogTree tree;
    std::vector<std::string> above;
    for (size_t node = 0; node < page.names.size(); ++node) {
        above.resize(page.depth[node]);
        above.push_back((above.empty() ? std::string() : above.back() + '/') + page.names[node]);
        add(tree, page.names[node], above.back(), page.depth[node], page.megabytes[node] * kHundredths, 0);
    }
    return tree;
}

LogTree timelineTreeAt(const MemoryTimeline &timeline, uint32_t point)
{
    LogTree tree;
    if (point < timeline.points())
        tree.total = timeline.total(point);
    for (size_t category = 0; point < timeline.points() && category < kTimelineCategories; ++category) {
        const std::string word(timelineCategoryWord(category));
        add(tree, word, word, 0, timeline.bytes[category][point], 0);
    }
    return tree;
}

std::vector<uint32_t> sameNodes(const LogTree &tree, const LogTree &other)
{
    std::unordered_map<std::string_view, uint32_t> byPath;
    for (uint32_t node = 0; node < other.size(); ++node)
        byPath.emplace(other.paths[node], node);
    std::vector<uint32_t> same(tree.size(), LogTree::kNone);
    for (uint32_t node = 0; node < tree.size(); ++node)
        if (const auto found = byPath.find(tree.paths[node]); found != byPath.end())
            same[node] = found->second;
    return same;
}

std::vector<double> treeDifferences(const LogTree &tree, const LogTree &other, const std::vector<uint32_t> &same)
{
    std::vector<double> differences(tree.size(), 0);
    for (uint32_t node = 0; node < tree.size(); ++node) {
        const auto here = static_cast<double>(tree.values[node]),
                   there = same[node] == LogTree::kNone ? 0.0 : static_cast<double>(other.values[same[node]]);
        if (const double larger = std::max(here, there); larger > 0)
            differences[node] = (here - there) / larger;
    }
    return differences;
}

} // namespace riffle
