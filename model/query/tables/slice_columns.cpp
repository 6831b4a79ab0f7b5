// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"

#include <algorithm>

namespace riffle {

namespace {

using Search = QueryColumn::Search;

/// Appends the slices of a segment that start in [first, last]. If ids have an order of their own, others with ids
/// between theirs are in the range, too.
void addStarts(const Segment &segment, Ns first, Ns last, std::vector<RowRange> &ranges)
{
    if (segment.span.begin > last || segment.span.end < first)
        return;
    const auto starts = segment.slices.start.span();
    RowRange some{SliceId::kNone, 0};
    for (uint32_t row = 0; row < segment.rows(); ++row) {
        // A damaged store can contain any number, so clamp.
        const uint32_t begin = std::min(segment.rowBegin[row], segment.size());
        const uint32_t end = std::clamp(segment.rowBegin[row + 1], begin, segment.size());
        const auto from = std::lower_bound(starts.begin() + begin, starts.begin() + end, first);
        const auto to = std::upper_bound(from, starts.begin() + end, last);
        const auto index = static_cast<uint32_t>(from - starts.begin());
        const auto behind = static_cast<uint32_t>(to - starts.begin());
        if (segment.ids.empty() && index < behind)
            ranges.push_back({segment.idAt(index).value, segment.idAt(behind).value});
        for (uint32_t at = index; !segment.ids.empty() && at < behind; ++at) {
            some.first = std::min(some.first, segment.ids[at]);
            some.last = std::max(some.last, segment.ids[at] + 1);
        }
    }
    if (some.first < some.last)
        ranges.push_back(some);
}

/// Orders ranges and joins those that overlap, because ids of segments may interleave.
void joinRanges(std::vector<RowRange> &ranges)
{
    std::ranges::sort(ranges, {}, &RowRange::first);
    size_t joined = 0;
    for (const RowRange &range : ranges)
        if (joined > 0 && ranges[joined - 1].last >= range.first)
            ranges[joined - 1].last = std::max(ranges[joined - 1].last, range.last);
        else
            ranges[joined++] = range;
    ranges.resize(joined);
}

} // namespace

const std::vector<std::string> &namesOfLanes(const QueryFile &file) { return traceOf(file).laneNames(); }

std::vector<QueryColumn> sliceColumns(int64_t (*id)(QueryRow &))
{
    std::vector<QueryColumn> columns(slice_column::Count);
    columns[slice_column::Id] = sliceColumn("id", "The slice, unique in its trace", id, Search::Unique);
    columns[slice_column::Ts] = integerColumn(
        "ts", "Start in ns, on the clock of the first trace",
        [](QueryRow &row) { return row.slice ? row.traced().inSet(row.slice.start()) : kNoInt; }, Search::Own);
    columns[slice_column::Dur] =
        integerColumn("dur", "Duration in ns", [](QueryRow &row) { return row.slice.duration(); });
    columns[slice_column::SelfDur] = integerColumn(
        "self_dur", "Self time in ns: duration minus the union of the children; on streams the duration",
        [](QueryRow &row) { return row.slice ? row.trace().selfOf(*row.slice.segment, row.slice.at) : kNoInt; });
    columns[slice_column::Name] = stringColumn("name", "Name", [](QueryRow &row) { return row.slice.name(); });
    columns[slice_column::Category] = stringColumn("category", "Category (cat): cpu_op, kernel …",
                                                   [](QueryRow &row) { return row.slice.category(); });
    columns[slice_column::LaneId] = idColumn(
        "lane_id", "The lane (lanes.id) that it is on", [](QueryRow &row) { return idOrNull(row.slice.lane()); },
        Search::Own);
    columns[slice_column::Lane] = textColumn(
        "lane", "Name of the lane", [](QueryRow &row) { return idOrNull(row.slice.lane()); }, namesOfLanes);
    columns[slice_column::Depth] = idColumn("depth", "Number of slices that contain it", [](QueryRow &row) {
        return row.slice ? int64_t{row.trace().depthOf(*row.slice.segment, row.slice.at)} : kNoInt;
    });
    columns[slice_column::ParentId] = sliceColumn(
        "parent_id", "The slice that directly contains it",
        [](QueryRow &row) {
            return row.slice ? idOrNull(row.trace().parentOf(*row.slice.segment, row.slice.at).value) : kNoInt;
        },
        Search::Own);
    return columns;
}

uint32_t sliceCount(const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().sliceCount()); }

void allSlices(const QueryFile &file, std::span<const QueryBounds>, std::vector<RowRange> &ranges)
{
    for (const auto &segment : traceOf(file).trace().segments)
        if (segment->size() > 0)
            ranges.push_back({segment->firstSlice, segment->lastSlice().value + 1});
    joinRanges(ranges);
}

void narrowSlices(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges)
{
    const QueryTrace &of = traceOf(file);
    const Trace &trace = of.trace();
    QueryBounds lane = bounds[slice_column::LaneId];
    auto [first, last] = of.inTrace(bounds[slice_column::Ts].low, bounds[slice_column::Ts].high);
    if (const QueryBounds parent = bounds[slice_column::ParentId]; parent.low == parent.high) {
        // Children are on the lane of their parent and start while it lasts.
        SlicePlace place;
        if (parent.low < 0 || parent.low >= SliceId::kNone || !place.goTo(trace, static_cast<uint32_t>(parent.low)))
            return;
        lane.clip({place.lane(), place.lane()});
        first = std::max(first, place.start());
        last = std::min(last, place.segment->end(place.at));
    }
    if (lane.open() && bounds[slice_column::Ts].open()) {
        return allSlices(file, bounds, ranges);
    }
    const auto addSegment = [&](const Segment &segment) { addStarts(segment, first, last, ranges); };
    if (lane.low == lane.high && lane.low >= 0 && lane.low < static_cast<int64_t>(trace.lanes.size())) {
        for (const uint32_t index : trace.lanes[static_cast<size_t>(lane.low)].segments)
            if (index < trace.segments.size())
                addSegment(*trace.segments[index]);
    } else {
        for (const auto &segment : trace.segments)
            if (segment->lane.value >= lane.low && segment->lane.value <= lane.high)
                addSegment(*segment);
    }
    joinRanges(ranges);
}

std::vector<QueryColumn> withTrace(std::vector<QueryColumn> columns)
{
    columns.push_back(idColumn("rank", "Rank of the process that was traced",
                               [](QueryRow &row) { return row.trace().info.rank.value_or(kNoInt); }));
    columns.push_back(idColumn(
        "trace", "Number of the trace, from 0 in the order of opening; it stays the same while others are closed",
        [](QueryRow &row) { return int64_t{row.of->id()}; }, Search::Own));
    return columns;
}

std::vector<QueryColumn> joined(std::vector<QueryColumn> first, std::vector<QueryColumn> others)
{
    first.insert(first.end(), others.begin(), others.end());
    return first;
}

} // namespace riffle
