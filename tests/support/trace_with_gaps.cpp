// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_with_gaps.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

namespace riffle::test {

namespace {

template <typename T>
Column<T> columnOf(std::vector<T> values)
{
    const auto made = std::make_shared<std::vector<T>>(std::move(values));
    return {made, made->data(), made->size()};
}

/// The new ids of all slices of a trace whose ids have no gaps.
std::vector<uint32_t> newIds(const Trace &trace, IdOrder order)
{
    std::vector<uint32_t> ids;
    uint32_t id = 0;
    for (const auto &segment : trace.segments) {
        id += 1'000;
        for (uint32_t at = 0; at < segment->size(); ++at, ++id)
            ids.push_back(id += order == IdOrder::Arrival && at % 7 == 6);
    }
    if (order == IdOrder::Stored)
        return ids;
    std::mt19937 random(7);
    for (size_t number = 0; number < trace.segments.size(); ++number) {
        const Segment &segment = *trace.segments[number];
        const auto first = ids.begin() + segment.firstSlice, last = first + segment.size();
        // Some of the largest ids change places with some of the smallest of the next segment, but not the smallest.
        const uint32_t next = number + 1 < trace.segments.size() ? trace.segments[number + 1]->size() : 0;
        const ptrdiff_t some = std::min({3u, segment.size() / 3, next / 3});
        for (ptrdiff_t at = 1; at <= some; ++at)
            std::iter_swap(last - at, last + at);
        std::shuffle(first, last, random);
    }
    return ids;
}

Column<uint32_t> moved(const TraceWithGaps &with, const Column<uint32_t> &slices)
{
    std::vector<uint32_t> made;
    for (const uint32_t id : slices)
        made.push_back(with.idOf(SliceId(id)).value);
    return columnOf(std::move(made));
}

/// The indices of values in ascending order.
std::vector<uint32_t> sorted(const Column<uint32_t> &values)
{
    std::vector<uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](uint32_t at) { return values[at]; });
    return order;
}

/// Replaces the ids of a side table and orders it by them.
template <typename Table>
void renumber(const TraceWithGaps &with, Table &table)
{
    table.slice = moved(with, table.slice);
    const std::vector<uint32_t> order = sorted(table.slice);
    const auto reorder = [&order]<typename T>(Column<T> &column) {
        std::vector<T> made;
        for (const uint32_t row : order)
            made.push_back(column[row]);
        column = columnOf(std::move(made));
    };
    std::apply([&](auto &...columns) { (reorder(columns), ...); }, table.members());
}

/// The rows that have a slice in a column, ordered by it.
Column<uint32_t> rowsBySlice(const Column<uint32_t> &slices)
{
    std::vector<uint32_t> rows = sorted(slices);
    std::erase_if(rows, [&](uint32_t row) { return slices[row] == SliceId::kNone; });
    return columnOf(std::move(rows));
}

/// The links that the device work of the segments has.
LaunchLinks linksOf(const Trace &trace)
{
    std::vector<std::pair<uint32_t, uint32_t>> links; // work, launch
    for (const auto &segment : trace.segments)
        for (uint32_t row = 0; row < segment->device.slice.size(); ++row)
            links.emplace_back(segment->device.slice[row], segment->device.launch[row]);
    std::ranges::sort(links);
    std::vector<uint32_t> work, launch;
    for (const auto &[slice, caller] : links) {
        work.push_back(slice);
        launch.push_back(caller);
    }
    const Column<uint32_t> launches = columnOf(std::move(launch));
    return LaunchLinks({columnOf(std::move(work)), launches, rowsBySlice(launches)});
}

} // namespace

TraceWithGaps::TraceWithGaps(const Trace &original, IdOrder order) : ids(newIds(original, order))
{
    const auto made = std::make_shared<Trace>(original);
    for (size_t at = 0; at < original.segments.size(); ++at) {
        const auto segment = std::make_shared<Segment>(*original.segments[at]);
        const auto first = ids.begin() + segment->firstSlice, last = first + segment->size();
        if (order == IdOrder::Arrival) {
            segment->ids = columnOf(std::vector<uint32_t>(first, last));
            segment->byId = columnOf(sorted(segment->ids));
        }
        segment->firstSlice = *std::min_element(first, last);
        segment->nesting.parent = moved(*this, segment->nesting.parent);
        std::apply([&](auto &...tables) { (renumber(*this, tables), ...); }, segment->SideTables::members());
        segment->device.launch = moved(*this, segment->device.launch);
        made->segments[at] = segment;
    }
    if (order == IdOrder::Arrival)
        made->segmentsById = SegmentsById(made->segments);
    made->launches = linksOf(*made);
    made->flows.slice = moved(*this, made->flows.slice);
    made->flowsBySlice = rowsBySlice(made->flows.slice);
    for (Step &step : made->steps)
        step.slice = idOf(step.slice);
    trace = made;
}

} // namespace riffle::test
