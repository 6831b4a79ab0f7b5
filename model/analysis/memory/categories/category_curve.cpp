// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/category_curve.h"

#include "model/base/wrapping.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

namespace riffle {

namespace {

/// Finds the points: per stretch of events, the one with the most active memory, and the levels after it.
void findPoints(const MemorySnapshot &snapshot, const DeviceReplay &device, CategoryCurve &curve, const Task &task)
{
    curve.events.push_back(MemoryAllocations::kNone);
    curve.active.push_back(device.atBegin.active);
    curve.reserved.push_back(device.atBegin.reserved);
    MemoryLevel level = device.atBegin;
    auto correction = device.corrections.begin();
    for (uint32_t at = 0; at < device.events && !task.stopped(); ++at) {
        const uint32_t event = device.firstEvent + at;
        const bool corrected = correction != device.corrections.end() && correction->event == event;
        const MemoryLevel change =
            corrected ? correction->change : nominalChange(snapshot.events.action[event], snapshot.events.size[event]);
        correction += corrected;
        addWrapping(level.active, change.active);
        addWrapping(level.reserved, change.reserved);
        if (at % curve.stretch == 0) {
            curve.events.push_back(event);
            curve.active.push_back(level.active);
            curve.reserved.push_back(level.reserved);
        } else if (level.active > curve.active.back()) {
            curve.events.back() = event;
            curve.active.back() = level.active;
            curve.reserved.back() = level.reserved;
        }
    }
}

} // namespace

CategoryCurve categoryCurve(const SnapshotFacts &facts, uint32_t device, const MemoryCategories &categories,
                            uint32_t most, const Task &task)
{
    assert(device < facts.replay().devices.size() && most > 0);
    const DeviceReplay &replay = facts.replay().devices[device];
    CategoryCurve curve;
    curve.stretch = std::max<uint32_t>(1, (replay.events + most - 1) / most);
    findPoints(facts.snapshot(), replay, curve, task);
    const size_t points = curve.events.size();
    /// The first point at or after an event.
    const auto pointOf = [&](uint32_t event) {
        const size_t at = 1 + (event - replay.firstEvent) / curve.stretch;
        return std::min(points, at + (at < points && curve.events[at] < event));
    };
    std::map<std::string, size_t> rows;
    const MemoryAllocations &all = replay.allocations;
    for (uint32_t row = 0; row < all.count() && !task.stopped(); ++row) {
        const size_t first = all.begin[row] == MemoryAllocations::kNone ? 0 : pointOf(all.begin[row]);
        const size_t last = all.end[row] == MemoryAllocations::kNone ? points : pointOf(all.end[row]);
        if (first >= last)
            continue;
        const MemoryCategories::Verdict &verdict = categories.verdicts()[categories.verdict(device, row)];
        const auto [found, isNew] = rows.try_emplace(verdict.category, curve.series.size());
        if (isNew)
            curve.series.push_back({verdict.category, verdict.unknown, std::vector<int64_t>(points)});
        std::vector<int64_t> &bytes = curve.series[found->second].bytes; // changes, until they are summed below
        const int64_t size = all.size(facts.snapshot(), row);
        addWrapping(bytes[first], size);
        if (last < points)
            addWrapping(bytes[last], static_cast<int64_t>(-static_cast<uint64_t>(size)));
    }
    for (CategoryCurve::Series &one : curve.series)
        for (size_t at = 1; at < points; ++at)
            addWrapping(one.bytes[at], one.bytes[at - 1]);
    const auto sum = [](const CategoryCurve::Series &one) {
        return std::accumulate(one.bytes.begin(), one.bytes.end(), 0.0); // a double cannot overflow
    };
    std::ranges::stable_sort(curve.series, [&](const auto &a, const auto &b) {
        return sum(a) != sum(b) ? sum(a) > sum(b) : a.category < b.category;
    });
    return curve;
}

} // namespace riffle
