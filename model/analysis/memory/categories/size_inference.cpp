// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/size_inference.h"

#include "model/base/ids.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

constexpr double kLeastCovered = 0.9;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

using Counts = std::map<int64_t, int64_t>; ///< per size, a number of allocations

int64_t countAt(const Counts &counts, int64_t size)
{
    const auto at = counts.find(size);
    return at == counts.end() ? 0 : at->second;
}

/// Per size, the most allocations of the rows that were alive at once.
Counts mostAtOnce(const MemorySnapshot &snapshot, const MemoryAllocations &all, const std::vector<uint32_t> &rows)
{
    struct Change {
        int64_t size;
        uint32_t slot; ///< 0 before the history, n + 1 at its event n
        int32_t change;
    };
    std::vector<Change> changes;
    for (const uint32_t row : rows) {
        const int64_t size = all.size(snapshot, row);
        const uint32_t gone = all.freed[row] != kNoRow ? all.freed[row] : all.end[row];
        changes.push_back({size, all.begin[row] == kNoRow ? 0 : all.begin[row] + 1, 1});
        if (gone != kNoRow)
            changes.push_back({size, gone + 1, -1});
    }
    std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
        return std::tie(a.size, a.slot, a.change) < std::tie(b.size, b.slot, b.change);
    });
    Counts most;
    int64_t now = 0;
    for (size_t at = 0; at < changes.size(); ++at) {
        if (at == 0 || changes[at].size != changes[at - 1].size)
            now = 0;
        int64_t &ofSize = most[changes[at].size];
        ofSize = std::max(ofSize, now += changes[at].change);
    }
    return most;
}

} // namespace

std::vector<SizeMatch> matchSizes(const MemorySnapshot &snapshot, const DeviceReplay &device, const MemoryRules &rules,
                                  const std::function<std::string_view(uint32_t row)> &categoryOf,
                                  const std::vector<uint32_t> &unexplained)
{
    std::vector<SizeMatch> matches;
    std::map<std::string, std::vector<uint32_t>, std::less<>> rowsOf; // of the categories that the rules need
    for (const MemoryRule &rule : rules.rules)
        if (rule.bySize())
            for (const std::string &category : {rule.category, rule.sizedLike, rule.notSizedLike})
                rowsOf[category];
    if (rowsOf.empty() || unexplained.empty())
        return matches;
    for (uint32_t row = 0; row < device.allocations.count(); ++row)
        if (const auto at = rowsOf.find(categoryOf(row)); at != rowsOf.end())
            at->second.push_back(row);
    std::map<std::string, Counts, std::less<>> known;
    for (const auto &[category, rows] : rowsOf)
        known[category] = mostAtOnce(snapshot, device.allocations, rows);
    std::map<int64_t, std::vector<uint32_t>> ofSize;
    for (const uint32_t row : unexplained)
        if (const int64_t size = device.allocations.size(snapshot, row); size > 0)
            ofSize[size].push_back(row);

    std::set<int64_t> taken; // sizes for which an earlier rule holds
    for (uint32_t at = 0; at < rules.rules.size(); ++at) {
        const MemoryRule &rule = rules.rules[at];
        if (!rule.bySize())
            continue;
        const Counts &like = known[rule.sizedLike], &own = known[rule.category], &never = known[rule.notSizedLike];
        double bytes = 0, covered = 0; // not integers, because damaged files can contain any sizes
        for (const auto &[size, count] : like) {
            const auto rows = ofSize.find(size);
            const auto there = rows == ofSize.end() ? 0 : static_cast<int64_t>(rows->second.size());
            bytes += static_cast<double>(size) * static_cast<double>(count);
            covered += static_cast<double>(size) * static_cast<double>(std::min(count, there + countAt(own, size)));
        }
        SizeMatch match{at, bytes > 0 ? covered / bytes : 0, {}};
        if (match.covered < kLeastCovered)
            continue;
        for (const auto &[size, rows] : ofSize) {
            const int64_t each = countAt(like, size);
            const int64_t left = each > kMost / rule.atMostEach ? kMost : each * rule.atMostEach;
            if (taken.contains(size) || countAt(never, size) > 0 ||
                static_cast<int64_t>(rows.size()) > left - countAt(own, size))
                continue;
            taken.insert(size);
            match.rows.insert(match.rows.end(), rows.begin(), rows.end());
        }
        if (!match.rows.empty())
            matches.push_back(std::move(match));
    }
    return matches;
}

} // namespace riffle
