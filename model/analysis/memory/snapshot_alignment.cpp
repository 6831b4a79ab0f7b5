// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_alignment.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace riffle {

namespace {

constexpr int64_t kNear = 10'000'000; ///< ns; how far a time difference may be from the median

/// The span from the earliest to the latest time of an entry. If no entry has a time, its begin is after its end.
TimeSpan historyOf(const MemorySnapshot &snapshot)
{
    TimeSpan span{INT64_MAX, INT64_MIN};
    for (const int64_t time : snapshot.events.time.span())
        if (time != MemoryEventTable::kNoTime)
            span = {std::min(span.begin, time), std::max(span.end, time)};
    return span;
}

std::optional<SnapshotAlignment> byClock(const MemorySnapshot &snapshot, const Trace &trace)
{
    constexpr Ns kYear2001 = 1'000'000'000'000'000'000;
    if (!trace.info.baseTimeNs && trace.span.begin < kYear2001)
        return std::nullopt;
    const SnapshotAlignment alignment{trace.info.baseTimeNs.value_or(0),
                                      false}; // without a base time (before PyTorch 2.3), times are Unix times
    const TimeSpan history = historyOf(snapshot);
    if (history.begin > history.end || history.begin > alignment.toUnix(trace.span.end) ||
        history.end < alignment.toUnix(trace.span.begin))
        return std::nullopt;
    return alignment;
}

/// The start times of the host slices with these names, ascending.
std::map<std::string_view, std::vector<Ns>> startsIn(const Trace &trace,
                                                     const std::map<std::string_view, std::vector<int64_t>> &names)
{
    std::vector<uint8_t> wanted(trace.strings.count(), 0);
    for (uint32_t id = 0; id < wanted.size(); ++id)
        wanted[id] = names.contains(trace.string(id));
    std::map<std::string_view, std::vector<Ns>> starts;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (wanted[segment->slices.name[at]] && !(segment->slices.flags[at] & slice_flag::OnStream))
                starts[trace.string(segment->slices.name[at])].push_back(segment->slices.start[at]);
    for (auto &[name, times] : starts)
        std::sort(times.begin(), times.end());
    return starts;
}

std::optional<SnapshotAlignment> byMarks(const MemorySnapshot &snapshot, const Trace &trace)
{
    std::map<std::string_view, std::vector<int64_t>> marks;
    for (const MemoryAnnotation &mark : snapshot.annotations)
        if (mark.time != MemoryEventTable::kNoTime && snapshot.string(mark.stage) == "START")
            marks[snapshot.string(mark.name)].push_back(mark.time);
    if (marks.empty())
        return std::nullopt;
    const auto starts = startsIn(trace, marks);
    std::vector<int64_t> distances;
    for (auto &[name, times] : marks) {
        const auto found = starts.find(name);
        if (found == starts.end() || found->second.size() != times.size())
            continue;
        std::sort(times.begin(), times.end());
        for (size_t at = 0; at < times.size(); ++at)
            distances.push_back(
                saturatedSum(times[at], found->second[at] == INT64_MIN ? INT64_MAX : -found->second[at]));
    }
    if (distances.empty())
        return std::nullopt;
    std::sort(distances.begin(), distances.end());
    const int64_t median = distances[distances.size() / 2];
    const auto near = std::count_if(distances.begin(), distances.end(), [&](int64_t distance) {
        return distance >= saturatedSum(median, -kNear) && distance <= saturatedSum(median, kNear);
    });
    if (static_cast<size_t>(near) * 2 < distances.size())
        return std::nullopt;
    return SnapshotAlignment{median, true};
}

} // namespace

std::optional<SnapshotAlignment> alignSnapshot(const MemorySnapshot &snapshot, const Trace &trace)
{
    if (const auto alignment = byClock(snapshot, trace))
        return alignment;
    return byMarks(snapshot, trace);
}

} // namespace riffle
