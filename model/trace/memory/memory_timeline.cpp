// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_timeline.h"

#include <cassert>

namespace riffle {

std::string_view timelineCategoryWord(size_t category)
{
    static constexpr std::array<std::string_view, kTimelineCategories> kWords = {
        "parameter", "optimizer_state", "input", "temporary", "activation", "gradient", "autograd_detail", "unknown"};
    return category < kWords.size() ? kWords[category] : std::string_view();
}

std::string_view timelineActionWord(TimelineAction action)
{
    switch (action) {
    case TimelineAction::Preexisting: return "preexisting";
    case TimelineAction::Create: return "create";
    case TimelineAction::IncrementVersion: return "increment_version";
    case TimelineAction::Destroy: return "destroy";
    }
    return "";
}

int64_t MemoryTimeline::total(uint32_t point) const
{
    assert(point < points());
    int64_t sum = 0;
    for (const Column<int64_t> &column : bytes)
        sum += column[point];
    return sum;
}

uint32_t MemoryTimeline::peak() const
{
    uint32_t largest = kNone;
    int64_t most = 0;
    for (uint32_t point = 0; point < points(); ++point) {
        const int64_t sum = total(point);
        if (largest == kNone || sum > most) {
            largest = point;
            most = sum;
        }
    }
    return largest;
}

uint32_t MemoryTimeline::pointAt(int64_t unixNs) const
{
    uint32_t found = points() ? 0 : kNone;
    for (uint32_t point = 1; point < points(); ++point)
        if (times[point] <= unixNs)
            found = point;
    return found;
}

} // namespace riffle
