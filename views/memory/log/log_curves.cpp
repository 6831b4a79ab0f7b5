// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log/log_curves.h"

#include <algorithm>

namespace riffle {

namespace {

void keepAscending(std::vector<int64_t> &times)
{
    for (size_t at = 1; at < times.size(); ++at)
        times[at] = std::max(times[at], times[at - 1]);
}

} // namespace

std::shared_ptr<const MemoryCurves> curvesOf(const MemoryTimeline &timeline)
{
    auto curves = std::make_shared<MemoryCurves>();
    curves->times.assign(timeline.times.begin(), timeline.times.end());
    keepAscending(curves->times);
    curves->zero = curves->times.empty() ? 0 : curves->times.front();
    curves->totals.resize(timeline.points());
    for (uint32_t point = 0; point < timeline.points(); ++point)
        curves->totals[point] = timeline.total(point);
    for (size_t category = 0; category < kTimelineCategories; ++category) {
        const auto &levels = timeline.bytes[category];
        if (std::all_of(levels.begin(), levels.end(), [](int64_t level) { return level == 0; }))
            continue;
        curves->names.emplace_back(timelineCategoryWord(category));
        curves->values.emplace_back(levels.begin(), levels.end());
    }
    return curves;
}

std::shared_ptr<const MemoryCurves> curvesOf(const MemoryLogRank &rank)
{
    auto curves = std::make_shared<MemoryCurves>();
    const auto known = std::find_if(rank.points.begin(), rank.points.end(),
                                    [](const MemoryLogPoint &point) { return point.time != MemoryLogPoint::kNoTime; });
    int64_t time = known == rank.points.end() ? 0 : known->time;
    curves->values.resize(kMemoryLogParts);
    for (size_t part = 0; part < kMemoryLogParts; ++part)
        curves->names.emplace_back(memoryLogPartWord(static_cast<MemoryLogPart>(part)));
    for (const MemoryLogPoint &point : rank.points) {
        time = std::max(time, point.time);
        curves->times.push_back(time);
        curves->timeTexts.push_back(point.time == MemoryLogPoint::kNoTime ? "no time" : point.timeText + "\u00a0s");
        curves->totals.push_back(point.total == kNotPrinted ? MemoryCurves::kNoTotal : point.total);
        for (size_t part = 0; part < kMemoryLogParts; ++part)
            curves->values[part].push_back(std::max<int64_t>(0, point.parts[part]));
    }
    return curves;
}

} // namespace riffle
