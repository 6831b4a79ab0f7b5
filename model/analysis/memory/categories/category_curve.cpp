// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/category_curve.h"

#include "model/base/wrapping.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

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

/// Makes the series without bytes. `weights` are the bytes of each verdict over all points. Returns the series of each
/// verdict; kNone if it has none.
std::vector<uint32_t> makeSeries(const std::vector<MemoryCategories::Verdict> &verdicts,
                                 const std::vector<double> &weights, CategoryCurve &curve)
{
    struct Category {
        double weight = 0;
        bool unknown = false;
        uint32_t series = MemoryAllocations::kNone;
    };
    std::map<std::string_view, Category> categories; // several verdicts can have the same one
    for (size_t at = 0; at < verdicts.size(); ++at)
        if (weights[at] > 0) {
            Category &category = categories[verdicts[at].category];
            category.weight += weights[at];
            category.unknown = verdicts[at].unknown;
        }
    std::vector<std::pair<const std::string_view, Category> *> largest;
    for (auto &category : categories)
        largest.push_back(&category);
    std::ranges::stable_sort(largest, std::greater(), [](const auto *category) { return category->second.weight; });
    const bool tooMany = largest.size() > CategoryCurve::kMostSeries;
    const size_t named = tooMany ? CategoryCurve::kMostSeries - 1 : largest.size();
    for (size_t at = 0; at < largest.size(); ++at) {
        auto &[name, category] = *largest[at];
        category.series = static_cast<uint32_t>(std::min(at, named));
        if (at < named)
            curve.series.push_back({std::string(name), category.unknown, std::vector<int64_t>(curve.events.size())});
    }
    if (tooMany)
        curve.series.push_back({"other categories", false, std::vector<int64_t>(curve.events.size())});
    std::vector<uint32_t> rows;
    for (const MemoryCategories::Verdict &verdict : verdicts) {
        const auto found = categories.find(verdict.category);
        rows.push_back(found == categories.end() ? MemoryAllocations::kNone : found->second.series);
    }
    return rows;
}

/// Finds the most bytes of each series. `seriesOf` returns the series of an allocation, or kNone.
template <typename SeriesOf>
void findMost(const MemorySnapshot &snapshot, const DeviceReplay &device, SeriesOf seriesOf, CategoryCurve &curve,
              const Task &task)
{
    const MemoryAllocations &all = device.allocations;
    std::vector<uint32_t> ended(device.events, MemoryAllocations::kNone); // per event, the allocation that it ends
    for (uint32_t row = 0; row < all.count() && !task.stopped(); ++row)
        if (all.end[row] != MemoryAllocations::kNone && all.end[row] != all.begin[row])
            ended[all.end[row] - device.firstEvent] = row;
    std::vector<int64_t> now(curve.series.size());
    uint32_t row = 0; // allocations are sorted by begin; those from before the history come first
    const auto beginThose = [&](uint32_t event) {
        for (; row < all.count() && all.begin[row] == event; ++row) {
            const uint32_t series = seriesOf(row);
            if (series == MemoryAllocations::kNone ||
                (event != MemoryAllocations::kNone && all.end[row] == event)) // its lifetime is unknown
                continue;
            addWrapping(now[series], all.size(snapshot, row));
            curve.series[series].most = std::max(curve.series[series].most, now[series]);
        }
    };
    beginThose(MemoryAllocations::kNone);
    for (uint32_t at = 0; at < device.events && !task.stopped(); ++at) {
        const uint32_t gone = ended[at];
        if (const uint32_t series = gone == MemoryAllocations::kNone ? gone : seriesOf(gone);
            series != MemoryAllocations::kNone)
            addWrapping(now[series], static_cast<int64_t>(-static_cast<uint64_t>(all.size(snapshot, gone))));
        beginThose(device.firstEvent + at);
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
    const MemoryAllocations &all = replay.allocations;
    /// The points at which an allocation is alive, from the first to before the last.
    const auto pointsOf = [&](uint32_t row) {
        return std::pair(all.begin[row] == MemoryAllocations::kNone ? 0 : pointOf(all.begin[row]),
                         all.end[row] == MemoryAllocations::kNone ? points : pointOf(all.end[row]));
    };
    std::vector<double> weights(categories.verdicts().size()); // a double cannot overflow
    for (uint32_t row = 0; row < all.count() && !task.stopped(); ++row)
        if (const auto [first, last] = pointsOf(row); first < last)
            weights[categories.verdict(device, row)] +=
                std::abs(static_cast<double>(all.size(facts.snapshot(), row))) * static_cast<double>(last - first);
    const std::vector<uint32_t> rows = makeSeries(categories.verdicts(), weights, curve);
    const auto seriesOf = [&](uint32_t row) { return rows[categories.verdict(device, row)]; };
    for (uint32_t row = 0; row < all.count() && !task.stopped(); ++row) {
        const auto [first, last] = pointsOf(row);
        if (first >= last || seriesOf(row) == MemoryAllocations::kNone)
            continue;
        std::vector<int64_t> &bytes = curve.series[seriesOf(row)].bytes; // changes, until they are summed below
        const int64_t size = all.size(facts.snapshot(), row);
        addWrapping(bytes[first], size);
        if (last < points)
            addWrapping(bytes[last], static_cast<int64_t>(-static_cast<uint64_t>(size)));
    }
    for (CategoryCurve::Series &one : curve.series)
        for (size_t at = 1; at < points; ++at)
            addWrapping(one.bytes[at], one.bytes[at - 1]);
    findMost(facts.snapshot(), replay, seriesOf, curve, task);
    return curve;
}

} // namespace riffle
